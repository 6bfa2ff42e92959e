#include "cli/bench/cell_result.h"

#include <filesystem>
#include <fstream>

#include "penumbra/base/spec.h"
#include "penumbra/runs/json_fields.h"

namespace penumbra::cli {
namespace {

constexpr const char* kFromEnd[] = {"status",          "score",
                                    "seconds",         "cpu_seconds",
                                    "backups",         "nodes",
                                    "vectors",         "estimate",
                                    "upper",           "upper_kind",
                                    "upper_proven",    "lower",
                                    "simulator_steps", "network_evaluations",
                                    "peak_memory",     "seconds_per_step"};

Json cell_json(const Cell& cell) {
  Json out{{"v", 1},
           {"id", cell.id},
           {"model", cell.model},
           {"solver", cell.solver},
           {"group", cell.group},
           {"map", cell.map ? Json(*cell.map) : Json(nullptr)},
           {"seed", cell.seed},
           {"domain", cell.domain},
           {"config", Json::object()}};
  if (!cell.policy.empty()) out["policy"] = cell.policy;
  for (const auto& [key, value] : cell.config) out["config"][key] = value;
  return out;
}

}  // namespace

int threads_of(const Cell& cell) {
  for (const auto& [key, value] : cell.config)
    if (double number; key == "threads" && parse_number(value, number))
      return static_cast<int>(number);
  return 1;
}

std::optional<Json> finished_result(const BenchFolder& folder, const Cell& cell,
                                    double wall_seconds) {
  std::optional<Json> end;
  for (Json& event : read_log(folder.cell(cell.id)))
    if (event["event"] == "end") end = std::move(event);
  if (!end || text_in(*end, "status", "cancelled") == "cancelled") return std::nullopt;
  Json out = cell_json(cell);
  for (const char* key : kFromEnd)
    if (end->contains(key)) out[key] = (*end)[key];
  out["threads"] = threads_of(cell);
  out["wall_seconds"] = wall_seconds;
  const std::string run = folder.cell(cell.id) + "/", episodes = run + "episodes.json";
  if (std::filesystem::exists(episodes)) {
    const Json blocks = read_json_file(episodes);
    from_file(episodes, [&] {
      for (const char* key : {"seed", "block", "means"}) out["blocks"][key] = blocks.at(key);
    });
  }
  if (std::filesystem::exists(run + "facts.json"))
    out["facts"] = read_json_file(run + "facts.json");
  out["finished"] = time_of_day();
  return out;
}

Json unfinished_result(const Cell& cell, const std::string& status, const std::string& problem) {
  Json out = cell_json(cell);
  out["status"] = status;
  out["problem"] = problem;
  out["threads"] = threads_of(cell);
  out["finished"] = time_of_day();
  return out;
}

std::string last_words(const BenchFolder& folder, const Cell& cell) {
  std::ifstream in(folder.cell(cell.id) + "/stderr.txt");
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  const std::string name = "penumbra: ";
  return last.starts_with(name) ? last.substr(name.size()) : last;
}

}  // namespace penumbra::cli

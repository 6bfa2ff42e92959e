#include "cli/bench/bench_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include "penumbra/io/replace_file.h"
#include "penumbra/runs/json_fields.h"
#include "penumbra/runs/version.h"

namespace penumbra::cli {
namespace fs = std::filesystem;

std::string time_of_day() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

Json read_json_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error("cannot read " + path);
  return from_file(path, [&] { return Json::parse(in); });
}

std::vector<Json> read_log(const std::string& run_folder) {
  std::vector<Json> events;
  std::ifstream in(run_folder + "/log.jsonl", std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    Json event = Json::parse(line, nullptr, false);
    if (event.is_object() && event.contains("event")) events.push_back(std::move(event));
  }
  return events;
}

BenchFolder BenchFolder::create(const std::string& path, const Experiment& experiment) {
  std::error_code error;
  for (const char* part : {"/cells", "/results", "/figures"})
    if (fs::create_directories(path + part, error); error)
      throw Error(fmt::format("cannot make the folder {}{}: {}", path, part, error.message()));
  const std::string plan = path + "/bench.json";
  std::string created = time_of_day();
  Json there;
  if (fs::exists(plan)) {
    const Experiment before = open(path).experiment();
    if (before.name != experiment.name || before.scale != experiment.scale)
      throw Error(
          fmt::format("{} holds the experiment {} at scale {}; name another folder with --out",
                      path, before.name, before.scale));
    there = read_json_file(plan);
    created = text_in(there, "created", created);
  }
  Json json = experiment_json(experiment);
  json["program"] = program_version();
  json["created"] = created;
  if (json != there) replace_file(plan, json.dump(1) + "\n");  // shards share it
  return {path, experiment};
}

BenchFolder BenchFolder::open(const std::string& path) {
  const std::string plan = path + "/bench.json";
  if (!fs::exists(plan))
    throw Error(fmt::format("there is no bench in '{}': it has no bench.json", path));
  const Json json = read_json_file(plan);
  Experiment experiment = from_file(plan, [&] { return experiment_from_json(json); });
  // They become names of files.
  const auto check = [&](const std::string& name) {
    if (name.empty() || name.starts_with('.') || name.find('/') != std::string::npos)
      throw Error(fmt::format("{} is damaged: '{}' cannot be the name of a file", plan, name));
  };
  for (const Cell& cell : experiment.cells) check(cell.id);
  for (const FigureRow& figure : experiment.figures) check(figure.name);
  return {path, std::move(experiment)};
}

bool BenchFolder::has_result(const std::string& id) const {
  return fs::exists(result_file(id));
}

std::optional<Json> BenchFolder::result(const std::string& id) const {
  if (!has_result(id)) return std::nullopt;
  Json json = read_json_file(result_file(id));
  if (text_in(json, "status").empty())
    throw Error(result_file(id) + " is not the result of a cell");
  return json;
}

void BenchFolder::write_result(const std::string& id, const Json& result) const {
  if (has_result(id)) return;
  replace_file(result_file(id), result.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void BenchFolder::forget_failures() const {
  for (const Cell& c : experiment_.cells) {
    const std::optional<Json> r = result(c.id);
    if (!r || text_in(*r, "status") != "failed") continue;
    fs::remove_all(cell(c.id));
    fs::remove(result_file(c.id));
  }
}

int BenchFolder::merge(const BenchFolder& other) const {
  const Experiment& theirs = other.experiment();
  if (theirs.name != experiment_.name || theirs.scale != experiment_.scale)
    throw Error(fmt::format("{} holds {} at scale {}, {} holds {} at scale {}: they do not merge",
                            path_, experiment_.name, experiment_.scale, other.path(), theirs.name,
                            theirs.scale));
  int taken = 0;
  for (const Cell& c : experiment_.cells) {
    if (has_result(c.id) || !other.has_result(c.id)) continue;
    // The run first: a result says that everything is there.
    if (fs::exists(other.cell(c.id))) {
      fs::remove_all(cell(c.id));
      fs::copy(other.cell(c.id), cell(c.id), fs::copy_options::recursive);
    }
    write_result(c.id, *other.result(c.id));
    ++taken;
  }
  return taken;
}

}  // namespace penumbra::cli

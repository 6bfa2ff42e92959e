#include "penumbra/runs/report_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/runs/config.h"
#include "penumbra/runs/json_fields.h"
#include "penumbra/runs/published.h"

namespace penumbra {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostPoints = 300;  // of the log of a run
constexpr const char* kColumns[] = {"seconds",   "backups",        "nodes", "estimate",
                                    "simulated", "standard_error", "lower", "upper",
                                    "memory",    "training_error"};

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// An object, or null for a file that is not there or not one.
Json read_object(const fs::path& path) {
  Json object = Json::parse(text_of(path), nullptr, false);
  return object.is_object() ? object : Json();
}

void copy_fields(const Json& from, Json& to, std::initializer_list<const char*> names) {
  if (!from.is_object()) return;
  for (const char* name : names)
    if (from.contains(name)) to[name] = from[name];
}

void copy_result(const Json& from, Json& to) {
  copy_fields(
      from, to,
      {"seed", "status", "problem", "seconds", "backups", "nodes", "vectors", "upper", "upper_kind",
       "upper_proven", "lower", "score", "peak_memory", "threads", "phases", "seconds_per_step"});
}

// The points of a log, as columns. What was done again after a resume counts once.
Json progress_columns(std::vector<Json> points) {
  std::vector<Json> kept;
  for (Json& point : points) {
    const double at = number_in(point, "backups", 0);
    while (!kept.empty() && number_in(kept.back(), "backups", 0) > at) kept.pop_back();
    kept.push_back(std::move(point));
  }
  Json columns = Json::object();
  for (const char* name : kColumns) columns[name] = Json::array();
  // The beginning is where most happens: even steps in the square root of the index.
  size_t last = SIZE_MAX;
  const size_t n = kept.size(), wanted = std::min(n, kMostPoints);
  for (size_t i = 0; i < wanted; ++i) {
    const double share = wanted > 1 ? double(i) / double(wanted - 1) : 1;
    const size_t at = wanted == n ? i : size_t(std::lround(share * share * double(n - 1)));
    if (at == last) continue;
    last = at;
    for (const char* name : kColumns)
      columns[name].push_back(kept[at].contains(name) ? kept[at][name] : Json());
  }
  return columns;
}

void read_log(const fs::path& path, ReportRun& run) {
  std::vector<Json> points;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    Json entry = Json::parse(line, nullptr, false);
    const std::string event = text_in(entry, "event");
    if (event == "progress") points.push_back(std::move(entry));
    if (event == "start") {
      if (run.domain.empty()) run.domain = text_in(entry, "domain");
      if (run.solver.empty()) run.solver = text_in(entry, "solver");
      run.policy = text_in(entry, "policy");
    }
    if (event == "end") copy_result(entry, run.fields);
  }
  run.fields["progress"] = progress_columns(std::move(points));
}

void read_folder(const fs::path& folder, ReportRun& run) {
  run.folder = folder.string();
  const fs::path config = folder / "config.toml";
  if (is_file(config)) {
    const auto tables = parse_config(text_of(config), config.string());
    for (const char* command : {"solve", "evaluate"})
      if (const auto table = tables.find(command); table != tables.end())
        for (const auto& [key, value] : table->second) run.fields["config"][key] = value;
  }
  if (const Json facts = read_object(folder / "facts.json"); !facts.is_null()) {
    copy_fields(facts, run.fields["facts"],
                {"program", "compiler", "instruction_set", "created", "system", "processor",
                 "cores", "memory"});
  }
  read_log(folder / "log.jsonl", run);
}

// A problem without what tells its maps apart.
std::string family(const std::string& domain) {
  try {
    Spec spec = Spec::parse(domain);
    spec.take("map_seed");
    return spec.text();
  } catch (const Error&) {
    return domain;  // a model file
  }
}

// Of one model, from a list as in bench.json, as the page wants it.
Json published_of(const std::string& model, const Json& list) {
  Json out = Json::array();
  if (!list.is_array()) return out;
  for (const Json& p : list) {
    if (text_in(p, "model") != model) continue;
    Json entry{{"name", text_in(p, "solver")}, {"kind", "offline"}};
    copy_fields(p, entry, {"mean", "spread", "kind", "source", "note"});
    out.push_back(std::move(entry));
  }
  return out;
}

int group_index(ReportRuns& all, const std::string& name, const std::string& domain) {
  for (size_t i = 0; i < all.groups.size(); ++i)
    if (all.groups[i]["name"] == name) return static_cast<int>(i);
  const std::string known = published_name(domain);
  all.groups.push_back(
      {{"name", name},
       {"published", published_of(known, published_json(published_scores(known)))}});
  return static_cast<int>(all.groups.size()) - 1;
}

void add_run(ReportRuns& all, ReportRun run, const std::string& name, const std::string& group) {
  run.group = group_index(all, group, run.domain);
  Json head{{"name", name}, {"group", run.group}, {"domain", run.domain}, {"solver", run.solver}};
  head.update(run.fields);
  run.fields = std::move(head);
  if (!run.fields.contains("progress")) run.fields["progress"] = progress_columns({});
  run.score = run.fields.contains("score") ? number_in(run.fields["score"], "mean", NAN) : NAN;
  all.runs.push_back(std::move(run));
}

ReportRuns read_bench(const fs::path& path) {
  const Json bench = read_object(path / "bench.json");
  if (!bench.is_object() || !bench.contains("cells") || !bench["cells"].is_array())
    throw Error((path / "bench.json").string() + " is not the record of a bench");
  ReportRuns all;
  all.title = text_in(bench, "title", text_in(bench, "name", "bench"));
  std::vector<Json> cells = bench["cells"];
  auto of_table = [](const Json& cell) { return text_in(cell, "group", "table") == "table"; };
  std::stable_partition(cells.begin(), cells.end(), of_table);  // figures come after
  for (const Json& cell : cells) {
    const std::string id = text_in(cell, "id"), part = text_in(cell, "group", "table");
    if (id.empty()) continue;
    const Json result = read_object(path / "results" / (id + ".json"));
    if (result.is_null() && !is_file(path / "cells" / id / "log.jsonl")) continue;
    ReportRun run;
    run.domain = text_in(cell, "domain");
    run.solver = text_in(cell, "solver");
    if (is_file(path / "cells" / id / "log.jsonl")) read_folder(path / "cells" / id, run);
    copy_result(result, run.fields);
    const std::string model = text_in(cell, "model", run.domain);
    add_run(all, std::move(run), id, part == "table" ? model : model + ", " + part);
  }
  for (Json& group : all.groups)
    group["published"] =
        published_of(group["name"], bench.contains("published") ? bench["published"] : Json());
  if (const Json table = read_object(path / "table.json");
      table.is_object() && table.contains("comparisons") && table["comparisons"].is_array())
    all.comparisons = table["comparisons"];
  return all;
}

// The folder of `penumbra tune`: it keeps trials, not runs.
bool is_search(const fs::path& folder) {
  return text_of(folder / "config.toml").starts_with("[tune]");
}

std::set<fs::path> find_runs(const fs::path& path) {
  std::set<fs::path> found;
  if (is_search(path))
    throw Error(fmt::format(
        "{} is a search of penumbra tune, whose trials keep no policies; solve with what it found "
        "and report that: penumbra solve --config {} --run DIR",
        path.string(), (path / "best.toml").string()));
  if (is_file(path / "config.toml")) return {path};
  std::error_code error;
  auto entries = fs::recursive_directory_iterator(path, error);
  for (const fs::directory_entry& entry : entries)
    if (const fs::path folder = entry.path().parent_path();
        entry.path().filename() == "config.toml" && is_file(folder / "log.jsonl") &&
        !is_search(folder))
      found.insert(folder);
  return found;
}

}  // namespace

ReportRuns read_report_runs(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    throw Error(fmt::format(
        "there is no folder '{}'; name the folder of a run (penumbra solve --run) or of a bench",
        path));
  ReportRuns all;
  if (is_file(fs::path(path) / "bench.json")) {
    all = read_bench(path);
  } else {
    for (const fs::path& folder : find_runs(path)) {
      ReportRun run;
      read_folder(folder, run);
      fs::path name = fs::relative(folder, path, error);
      if (name == ".") name = fs::absolute(folder).lexically_normal().filename();
      const std::string group = family(run.domain);
      add_run(all, std::move(run), name.string(), group);
    }
    if (all.runs.size() == 1)
      all.title = all.runs[0].domain + ", " + all.runs[0].solver;
    else
      all.title = fmt::format("{} runs of {} problem{}", all.runs.size(), all.groups.size(),
                              all.groups.size() == 1 ? "" : "s");
  }
  if (all.runs.empty())
    throw Error(
        fmt::format("there is no run in '{}': neither it nor a folder below it has a config.toml "
                    "and a log.jsonl",
                    path));
  return all;
}

}  // namespace penumbra

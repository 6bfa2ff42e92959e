// bench.json: an experiment unfolded, so that its folder can be read without the file.
#include "cli/bench/experiment.h"
#include "penumbra/runs/json_fields.h"

namespace penumbra::cli {
namespace {

template <class T>
std::optional<T> optional_of(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<T>(json.get<T>());
}

}  // namespace

Json experiment_json(const Experiment& e) {
  Json out{{"v", 1}, {"name", e.name}, {"title", e.title}, {"file", e.file}, {"scale", e.scale}};
  for (const char* list : {"models", "solvers", "cells", "figures"}) out[list] = Json::array();
  for (const ModelRow& m : e.models)
    out["models"].push_back({{"name", m.name}, {"domain", m.domain}, {"maps", m.maps}});
  for (const SolverRow& s : e.solvers) {
    out["solvers"].push_back({{"name", s.name},
                              {"solver", s.solver},
                              {"group", s.group},
                              {"value", or_null(s.value)},
                              {"only", s.only}});
    if (!s.policy.empty()) out["solvers"].back()["policy"] = s.policy;
  }
  for (const Cell& c : e.cells) {
    Json cell{{"id", c.id},
              {"model", c.model},
              {"solver", c.solver},
              {"group", c.group},
              {"map", or_null(c.map)},
              {"seed", c.seed},
              {"domain", c.domain},
              {"solver_name", c.solver_name},
              {"config", Json::object()}};
    if (!c.policy.empty()) cell["policy"] = c.policy;
    for (const auto& [key, value] : c.config) cell["config"][key] = value;
    out["cells"].push_back(std::move(cell));
  }
  for (const FigureRow& f : e.figures)
    out["figures"].push_back({{"name", f.name},
                              {"kind", f.kind},
                              {"title", f.title},
                              {"model", f.model},
                              {"solvers", f.solvers},
                              {"group", f.group},
                              {"over", f.over}});
  out["published"] = published_json(e.published);
  return out;
}

Experiment experiment_from_json(const Json& json) {
  Experiment e;
  e.name = json.at("name");
  e.title = json.at("title");
  e.file = json.at("file");
  e.scale = json.at("scale");
  for (const Json& m : json.at("models"))
    e.models.push_back({m.at("name"), m.at("domain"), m.at("maps")});
  for (const Json& s : json.at("solvers"))
    e.solvers.push_back({s.at("name"), s.at("solver"), s.at("group"),
                         optional_of<double>(s.at("value")), s.at("only"), s.value("policy", "")});
  for (const Json& c : json.at("cells")) {
    Cell cell{c.at("id"),
              c.at("model"),
              c.at("solver"),
              c.at("group"),
              optional_of<uint64_t>(c.at("map")),
              c.at("seed"),
              c.at("domain"),
              {},
              c.at("solver_name"),
              c.value("policy", "")};
    for (const auto& [key, value] : c.at("config").items()) cell.config.emplace_back(key, value);
    e.cells.push_back(std::move(cell));
  }
  for (const Json& f : json.at("figures"))
    e.figures.push_back({f.at("name"), f.at("kind"), f.at("title"), f.at("model"), f.at("solvers"),
                         f.at("group"), f.value("over", "backups")});
  for (const Json& p : json.at("published"))
    e.published.push_back({p.at("model"), p.at("solver"), p.at("mean"),
                           optional_of<double>(p.at("spread")), p.at("source"), p.at("kind"),
                           p.at("note")});
  return e;
}

}  // namespace penumbra::cli

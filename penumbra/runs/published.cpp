#include "penumbra/runs/published.h"

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/runs/experiment_file.h"
#include "penumbra/runs/json_fields.h"

namespace penumbra {

Published read_published(FileTable& table) {
  Published row;
  row.model = table.required("model");
  row.solver = table.required("solver");
  const std::optional<double> mean = table.number("mean");
  if (!mean) table.fail(table.line, "[[published]] needs mean");
  row.mean = *mean;
  row.spread = table.number("spread");
  row.source = table.required("source");
  row.kind = table.text("kind").value_or("offline");
  row.note = table.text("note").value_or("");
  if (row.kind != "offline" && row.kind != "online")
    table.fail(table.line, "kind must be offline or online, not '" + row.kind + "'");
  table.finish({"model", "solver", "mean", "spread", "source", "kind", "note"});
  return row;
}

Json published_json(const std::vector<Published>& all) {
  Json list = Json::array();
  for (const Published& p : all)
    list.push_back({{"model", p.model},
                    {"solver", p.solver},
                    {"mean", p.mean},
                    {"spread", or_null(p.spread)},
                    {"source", p.source},
                    {"kind", p.kind},
                    {"note", p.note}});
  return list;
}

std::string published_name(const std::string& domain) {
  Spec spec;
  try {
    spec = Spec::parse(domain);
  } catch (const Error&) {
    return "";  // the path of a model file
  }
  // How it is solved, not what it is.
  for (const char* key : {"clusters", "cluster_seed", "map_seed"}) spec.take(key);
  std::string n, k;
  if (spec.name == "rock-sample") {
    n = spec.take("n");
    k = spec.take("k");
    if (n.empty()) n = "7";
    if (k.empty()) k = "8";
  }
  if (spec.name == "lidar-roomba")
    for (const char* key : {"actions", "quirks"}) spec.take(key);
  if (!spec.values.empty()) return "";
  if (spec.name == "rock-sample") return "RS(" + n + "," + k + ")";
  if (spec.name == "light-dark") return "Light Dark";
  return spec.name == "lidar-roomba" ? "Lidar Roomba" : "";
}

std::vector<Published> published_scores(const std::string& name) {
  std::vector<Published> found;
  if (name.empty()) return found;
  for (FileTable& table : parse_experiment_file(paper_table(), "table.toml").published)
    if (Published row = read_published(table); row.model == name) found.push_back(std::move(row));
  return found;
}

}  // namespace penumbra

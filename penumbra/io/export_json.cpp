#include "penumbra/io/export_json.h"

#include <nlohmann/json.hpp>

#include "penumbra/base/error.h"
#include "penumbra/io/discretiser_json.h"

namespace penumbra {
namespace {

using Json = nlohmann::ordered_json;  // fields in the order written

std::string text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

// One line per node, so that differences between two files can be read.
std::string controller_json(const PolicyFile& p) {
  const Fsc& fsc = p.controller();
  PENUMBRA_CHECK(fsc.num_nodes() > 0, "JSON is made of a controller");
  const Facts facts = facts_of(p);
  Json actions = Json::array(), observations = Json::array();
  for (int a = 0; a < p.num_actions; ++a) actions.push_back(facts.action_name(a));
  for (int o = 0; o < p.num_observations; ++o) observations.push_back(facts.observation_name(o));
  std::string out = "{\"format\": \"penumbra-controller\", \"version\": 1,\n";
  out += "\"domain\": " + text(p.domain) + ",\n";
  out += "\"actions\": " + text(actions) + ",\n";
  if (fsc.action_width > 0) {
    Json values = Json::array();
    for (int a = 0; a < p.num_actions; ++a) {
      const std::span<const float> row = fsc.real_action(a);
      values.push_back(std::vector<float>(row.begin(), row.end()));
    }
    out += "\"action_values\": " + text(values) + ",\n";
  }
  out += "\"observations\": " + text(observations) + ",\n";
  out += "\"discretiser\": " + text(discretiser_json(p)) + ",\n";
  out += "\"start\": " + std::to_string(fsc.start) + ",\n\"nodes\": [\n";
  const size_t row = p.num_observations;
  for (int n = 0; n < fsc.num_nodes(); ++n) {
    const auto first = fsc.edges.begin() + static_cast<long>(n * row);
    const std::vector<int> next(first, first + static_cast<long>(row));
    out += text(Json{{"action", fsc.action[n]}, {"next", next}});
    out += n + 1 < fsc.num_nodes() ? ",\n" : "\n";
  }
  return out + "]}\n";
}

}  // namespace penumbra

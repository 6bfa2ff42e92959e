#include "penumbra/io/export_recurrent.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "penumbra/base/error.h"
#include "penumbra/io/discretiser_json.h"

namespace penumbra {
namespace {

using Json = nlohmann::ordered_json;

std::string text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// One line per row; nine digits give every float back.
std::string layer_text(const nn::DenseLayer& layer, std::span<const float> packed) {
  std::string out = "{\"weights\": [\n";
  auto row = [&](auto at) {
    std::string line = "[";
    for (int n = 0; n < layer.out; ++n)
      line += fmt::format("{}{:.9g}", n > 0 ? "," : "", packed[at(n)]);
    return line + "]";
  };
  for (int k = 0; k < layer.in; ++k)
    out += row([&](int n) { return layer.weight(k, n); }) + (k + 1 < layer.in ? ",\n" : "],\n");
  return out + "\"biases\": " + row([&](int n) { return layer.bias + n; }) + "}";
}

}  // namespace

std::string recurrent_json(const PolicyFile& p) {
  const auto* held = policy_as<RecurrentActor>(p.policy);
  PENUMBRA_CHECK(held && held->head.choices > 0, "JSON is made of a network");
  const RecurrentActor& actor = *held;
  const nn::RecurrentLayout& layout = actor.net.layout();
  const Facts facts = facts_of(p);
  Json actions = Json::array(), observations = Json::array();
  for (int a = 0; a < p.num_actions; ++a) actions.push_back(facts.action_name(a));
  for (int o = 0; o < p.num_observations; ++o) observations.push_back(facts.observation_name(o));
  std::string out = "{\"format\": \"penumbra-recurrent\", \"version\": 1,\n";
  out += "\"domain\": " + text(p.domain) + ",\n";
  out += "\"actions\": " + text(actions) + ",\n";
  out += "\"observations\": " + text(observations) + ",\n";
  out += "\"discretiser\": " + text(discretiser_json(p)) + ",\n";
  out += fmt::format("\"greedy\": {}, \"hidden\": {},\n", actor.greedy, layout.shape.hidden);
  out +=
      "\"inputs\": " + text({{"categories", layout.shape.input.categories}}) + ",\n\"layers\": {\n";
  const char* names[] = {"first", "input", "state", "after", "head"};
  const auto layers = layout.layers();
  for (size_t i = 0; i < layers.size(); ++i)
    out += fmt::format("\"{}\": {}{}\n", names[i], layer_text(*layers[i], actor.net.packed()),
                       i + 1 < layers.size() ? "," : "");
  return out + "}}\n";
}

}  // namespace penumbra

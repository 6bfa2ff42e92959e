#include "penumbra/runs/report_alphas.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "penumbra/nn/anchor_bank.h"
#include "penumbra/nn/gated_bank.h"
#include "penumbra/runs/state_layout.h"

namespace penumbra {
namespace {

constexpr size_t kMostNodes = 12;
constexpr int kAll = -1;  // in place of a node: the most that any of them claims

std::vector<int> chosen_nodes(const Fnc& fnc, const ControllerUse& use) {
  std::vector<int> order(fnc.fsc.num_nodes());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return use.visits[a] > use.visits[b]; });
  std::stable_partition(order.begin(), order.end(), [&](int n) { return n == fnc.fsc.start; });
  std::erase_if(order, [&](int n) { return fnc.alpha[n] < 0 || use.visits[n] == 0; });
  order.resize(std::min(order.size(), kMostNodes));
  return order;
}

// Few digits: a page has many of these.
Json few_digits(double x) {
  return std::isfinite(x) ? Json(std::round(x * 1e3) / 1e3) : Json();
}

std::vector<float> values_of(const nn::ValueBank& bank, const FeatureBatch& states, int function) {
  std::vector<float> value(states.rows());
  bank.predict_rows(states, std::vector<int32_t>(states.rows(), function), value);
  return value;
}

std::vector<float> most_of_all(const nn::ValueBank& bank, const FeatureBatch& states) {
  const size_t count = bank.size();
  std::vector<float> all(states.rows() * count), most;
  bank.predict(states, all);
  for (int i = 0; i < states.rows(); ++i)
    most.push_back(*std::max_element(all.begin() + i * count, all.begin() + (i + 1) * count));
  return most;
}

// What a function is worth where it says nothing, if there are such places.
std::optional<float> said_of_nothing(const nn::ValueBank& bank) {
  if (const auto* gated = dynamic_cast<const nn::GatedBank*>(&bank)) return gated->elsewhere();
  if (const auto* anchors = dynamic_cast<const nn::AnchorBank*>(&bank)) return anchors->elsewhere();
  return std::nullopt;
}

Json slice_json(const Pomdp& model, const nn::ValueBank& bank, const Fnc& fnc,
                const std::vector<int>& nodes, const StateSlice& slice) {
  const int rows = static_cast<int>(slice.states.count());
  FeatureBatch features(bank.layout(), rows);
  model.encode(slice.states, features);
  Json cells = Json::array(), values = Json::array();
  for (const int node : nodes) {
    const std::vector<float> value =
        node == kAll ? most_of_all(bank, features) : values_of(bank, features, fnc.alpha[node]);
    std::map<int, std::pair<double, int>> mean;  // states of one cell count as one
    const std::optional<float> nothing = said_of_nothing(bank);
    for (int i = 0; i < rows; ++i) {
      auto& [sum, count] = mean[slice.cell[i]];
      if (nothing && value[i] == *nothing) continue;
      sum += value[i];
      ++count;
    }
    Json of_node = Json::array();
    for (const auto& [cell, m] : mean)
      of_node.push_back(m.second > 0 ? Json(few_digits(m.first / m.second)) : Json());
    if (cells.empty())
      for (const auto& [cell, m] : mean) cells.push_back(cell);
    values.push_back(std::move(of_node));
  }
  return {{"label", slice.label},
          {"fields", slice.fields},
          {"cells", std::move(cells)},
          {"values", std::move(values)}};
}

}  // namespace

Json alphas_json(const Pomdp& model, const Fnc& fnc, const ControllerUse& use, uint64_t seed) {
  if (!fnc.networks || fnc.alpha.empty() || !model.has(Capability::kFeatures) ||
      model.features() != fnc.networks->layout())
    return {};
  std::vector<int> nodes = chosen_nodes(fnc, use);
  if (nodes.empty()) return {};
  // A gated function says something of the categories of its own beliefs alone.
  if (fnc.networks->form() == nn::BankForm::kGated) nodes.insert(nodes.begin(), kAll);
  const StateLayout layout = lay_out_states(model, fnc.fsc, seed);
  Json axes = Json::array(), slices = Json::array(), list = Json::array();
  for (const Axis& a : layout.axes)
    axes.push_back({{"name", a.name}, {"low", a.low}, {"step", a.step}, {"cells", a.cells}});
  for (const StateSlice& slice : layout.slices)
    slices.push_back(slice_json(model, *fnc.networks, fnc, nodes, slice));
  for (const int n : nodes)
    if (n == kAll)
      list.push_back({{"node", n},
                      {"action", "all nodes: the most that any of them claims"},
                      {"start", false},
                      {"reach", 1}});
    else
      list.push_back({{"node", n},
                      {"action", model.facts().action_name(fnc.fsc.action[n])},
                      {"start", n == fnc.fsc.start},
                      {"reach", double(use.episodes_with[n]) / double(use.episodes)}});
  return {{"nodes", std::move(list)},
          {"axes", std::move(axes)},
          {"names", layout.names},
          {"slices", std::move(slices)}};
}

}  // namespace penumbra

#include "penumbra/policy/fsc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "penumbra/base/error.h"

namespace penumbra {

int Fsc::add_node(int node_action, int target) {
  const int node = num_nodes();
  action.push_back(node_action);
  edges.insert(edges.end(), num_observations, target < 0 ? node : target);
  return node;
}

int Fsc::find(int node_action, std::span<const int> successors) const {
  for (int node = 0; node < num_nodes(); ++node)
    if (action[node] == node_action &&
        std::equal(successors.begin(), successors.end(),
                   edges.begin() + static_cast<long>(node) * num_observations))
      return node;
  return -1;
}

void Fsc::drop_unused_actions() {
  if (action_width == 0) return;
  std::vector<char> used(num_real_actions(), 0);
  for (int row : action) used[row] = 1;
  std::map<std::vector<float>, int> known;
  std::vector<float> kept;
  std::vector<int> number(used.size(), -1);
  for (size_t row = 0; row < used.size(); ++row) {
    if (!used[row]) continue;
    const std::span<const float> values = real_action(static_cast<int>(row));
    const auto [at, fresh] =
        known.try_emplace({values.begin(), values.end()}, static_cast<int>(known.size()));
    if (fresh) kept.insert(kept.end(), values.begin(), values.end());
    number[row] = at->second;
  }
  for (int& row : action) row = number[row];
  action_values = std::move(kept);
}

namespace {

// Returns how many actions the nodes may choose from.
int check_actions(const Fsc& fsc, const Facts& facts) {
  if (facts.num_actions > 0) {
    if (fsc.action_width > 0 && fsc.num_real_actions() != facts.num_actions)
      throw Error("the controller has real actions; " + facts.name + " has a finite set");
    return facts.num_actions;
  }
  const size_t width = facts.action_low.size();
  if (fsc.action_width == 0 || fsc.action_width != static_cast<int>(width) ||
      fsc.action_values.size() % width != 0)
    throw Error(fmt::format("{} has a box of {} numbers for actions; the controller's have {}",
                            facts.name, width, fsc.action_width));
  for (size_t i = 0; i < fsc.action_values.size(); ++i)
    if (const float x = fsc.action_values[i];
        !(x >= facts.action_low[i % width] && x <= facts.action_high[i % width]))
      throw Error(fmt::format("real action {} of the controller is outside of the box of {}",
                              i / width, facts.name));
  return fsc.num_real_actions();
}

}  // namespace

void check_fsc(const Fsc& fsc, const Facts& facts) {
  if (facts.num_observations == 0)
    throw Error(facts.name +
                ": a finite-state controller needs finite observations; name the domain with "
                "clusters=K");
  const int num_actions = check_actions(fsc, facts);
  if (fsc.num_nodes() == 0) throw Error("the controller has no nodes");
  if (fsc.num_observations != facts.num_observations)
    throw Error(fmt::format("the controller is for {} observations; {} has {}",
                            fsc.num_observations, facts.name, facts.num_observations));
  if (fsc.edges.size() != size_t(fsc.num_nodes()) * fsc.num_observations)
    throw Error("the controller's edges do not match its nodes");
  if (fsc.start < 0 || fsc.start >= fsc.num_nodes())
    throw Error("the controller's start is not one of its nodes");
  for (int n = 0; n < fsc.num_nodes(); ++n)
    if (fsc.action[n] < 0 || fsc.action[n] >= num_actions)
      throw Error(fmt::format("node {} has action {}; {} has {}", n, fsc.action[n],
                              fsc.action_width > 0 ? "the controller" : facts.name, num_actions));
  for (int target : fsc.edges)
    if (target < 0 || target >= fsc.num_nodes())
      throw Error(
          fmt::format("an edge of the controller leads to node {}, which does not exist", target));
}

std::vector<double> fsc_values(const Fsc& fsc, const Tabular& m, double tolerance) {
  const int nodes = fsc.num_nodes(), states = m.num_states;
  std::vector<double> value(size_t(nodes) * states, 0.0);
  // A controller reads the observation alone, or the pair of visible part and observation.
  const bool sees_parts = fsc.num_observations != m.num_observations;
  PENUMBRA_CHECK(!sees_parts || (!m.visible.empty() &&
                                 fsc.num_observations == m.num_visible * m.num_observations),
                 "the controller is for other observations");
  // Gauss-Seidel: contracts at least as fast as the discount.
  while (true) {
    double change = 0, largest = 0;
    for (int n = 0; n < nodes; ++n) {
      const int a = fsc.action[n];
      for (int s = 0; s < states; ++s) {
        double v = 0;
        if (!m.terminal[s]) {
          for (const auto& t : m.transition[a].row(s)) {
            if (m.terminal[t.column]) continue;
            double later = 0;
            const int first_seen = sees_parts ? m.visible[t.column] * m.num_observations : 0;
            for (const auto& o : m.observation[a].row(t.column))
              later +=
                  o.value * value[size_t(fsc.next(n, first_seen + o.column)) * states + t.column];
            v += t.value * later;
          }
          v = m.reward[a][s] + m.discount * v;
        }
        double& old = value[size_t(n) * states + s];
        change = std::max(change, std::abs(v - old));
        largest = std::max(largest, std::abs(v));
        old = v;
      }
    }
    // Rounding alone may keep the last bits moving for ever.
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * largest;
    if (change * m.discount <= std::max(tolerance * (1 - m.discount), rounding)) return value;
  }
}

double fsc_value(const Fsc& fsc, const Tabular& model, double tolerance) {
  const std::vector<double> value = fsc_values(fsc, model, tolerance);
  double sum = 0;
  for (int s = 0; s < model.num_states; ++s)
    sum += model.start[s] * value[size_t(fsc.start) * model.num_states + s];
  return sum;
}

FscPolicy::FscPolicy(Fsc fsc, const Facts& facts) : fsc_(std::move(fsc)) {
  check_fsc(fsc_, facts);
}

std::string FscPolicy::describe() const {
  return fmt::format("finite-state controller of {} nodes", fsc_.num_nodes());
}

void FscPolicy::start(Streams, Records memory) const {
  for (size_t i = 0; i < memory.count; ++i) memory.as<int32_t>(i) = fsc_.start;
}

void FscPolicy::act(Records memory, Streams, Records action) const {
  if (fsc_.action_width == 0) {
    for (size_t i = 0; i < memory.count; ++i)
      action.as<int>(i) = fsc_.action[memory.as<int32_t>(i)];
    return;
  }
  for (size_t i = 0; i < memory.count; ++i) {
    const std::span<const float> real = fsc_.real_action(fsc_.action[memory.as<int32_t>(i)]);
    std::memcpy(action.at(i), real.data(), real.size_bytes());
  }
}

void FscPolicy::observe(Records memory, ConstRecords, ConstRecords seen, Streams) const {
  // A robot may come with anything; what does not exist leaves the node as it is.
  for (size_t i = 0; i < memory.count; ++i)
    if (const int o = index_of(seen, i); o >= 0 && o < fsc_.num_observations)
      memory.as<int32_t>(i) = fsc_.next(memory.as<int32_t>(i), o);
}

}  // namespace penumbra

#include "penumbra/solvers/points/read_out.h"

#include <map>

#include "penumbra/policy/fnc.h"

namespace penumbra::points {
namespace {

// Per branch and outcome of (part, action): can it be seen at all, coming from this part? What is
// seen tells the branches apart only among those that can.
std::vector<char> possible_outcomes(const MixedModel& model, int part, int action) {
  std::vector<char> possible;
  for (const MixedModel::Branch& branch : model.branches(part, action)) {
    const MixedModel::Sights& sights = model.sights(branch.part, action);
    const size_t first = possible.size(), n = model.size(branch.part);
    possible.resize(first + sights.seen.size(), sights.certain);
    if (sights.certain) continue;
    auto mark = [&](int y) {
      if (sights.table.empty())
        for (int e = sights.start[y]; e < sights.start[y + 1]; ++e)
          possible[first + sights.outcome[e]] = 1;
      else
        for (size_t o = 0; o < sights.seen.size(); ++o)
          if (sights.table[o * n + y] > 0) possible[first + o] = 1;
    };
    if (branch.identity)
      for (size_t y = 0; y < n; ++y) mark(static_cast<int>(y));
    else
      for (int y : branch.column) mark(y);
  }
  return possible;
}

}  // namespace

Fsc controller_of(PointBounds& bounds, int num_seen, size_t max_edges) {
  const MixedModel& model = bounds.model();
  const VectorSet& vectors = bounds.vectors();
  bounds.lower(PointBounds::kRoot);
  Fsc fsc;
  fsc.num_observations = num_seen;
  std::vector<int> node_of(vectors.total(), -1), blind_of(model.num_actions(), -1), order;
  // A vector's node, made when it is first met; a blind plan is the same in every part.
  auto node = [&](int id) {
    const VectorSet::Vector& vector = vectors[id];
    int& known = vector.next.empty() ? blind_of[vector.action] : node_of[id];
    if (known < 0) {
      known = fsc.add_node(vector.action);
      order.push_back(id);
    }
    return known;
  };
  std::map<std::pair<int, int>, std::vector<char>> possible;
  fsc.start = node(bounds.graph().node(PointBounds::kRoot).best);
  for (size_t i = 0; i < order.size(); ++i) {
    if (order.size() * size_t(num_seen) > max_edges) return {};
    const VectorSet::Vector& vector = vectors[order[i]];
    if (vector.next.empty()) continue;
    const int from = static_cast<int>(i);
    const auto [at, is_new] = possible.try_emplace({vector.part, vector.action});
    if (is_new) at->second = possible_outcomes(model, vector.part, vector.action);
    size_t k = 0;
    for (const MixedModel::Branch& branch : model.branches(vector.part, vector.action))
      for (int seen : model.sights(branch.part, vector.action).seen) {
        if (at->second[k])
          fsc.set_edge(from, model.seen_index(branch.part, seen), node(vector.next[k]));
        ++k;
      }
  }
  return minimised(fsc);
}

AlphaVectors vectors_of(const PointBounds& bounds) {
  const VectorSet& vectors = bounds.vectors();
  AlphaVectors out;
  out.num_states = bounds.model().num_states();
  out.num_actions = bounds.model().num_actions();
  out.parts = bounds.model().parts().states;
  for (int id = 0; id < vectors.total(); ++id)
    if (!vectors[id].value.empty())
      out.vectors.push_back({vectors[id].action, vectors[id].part, vectors[id].value});
  return out;
}

AlphaVectors action_vectors(const MixedModel& model, const PartActionValues& values) {
  AlphaVectors out;
  out.num_states = model.num_states();
  out.num_actions = model.num_actions();
  out.parts = model.parts().states;
  for (int p = 0; p < model.num_parts(); ++p)
    for (int a = 0; a < model.num_actions(); ++a) out.vectors.push_back({a, p, values[p][a]});
  return out;
}

}  // namespace penumbra::points

#include "yardsticks/laser_tag_expert.h"

#include <algorithm>

namespace penumbra {

LaserTagExpert::LaserTagExpert(const LaserTag& model)
    : model_(model), moves_(kPairs), value_(kPairs * LaserTag::kNumActions) {
  for (int pair = 0; pair < kPairs; ++pair) {
    const LaserTag::State s = state(pair);
    moves_[pair] = model_.opponent_moves(s.robot, s.opponent);
    for (int a = 0; a < LaserTag::kNumActions; ++a) {
      double value = a == LaserTag::kTag ? -10 : -1;
      const auto robot = static_cast<uint8_t>(model_.robot_after(s.robot, a));
      for (const LaserTag::Move& m : moves_[pair])
        value += model_.discount() * m.probability * model_.mdp_value({robot, m.cell, 0});
      if (a == LaserTag::kTag && s.robot == s.opponent) value = 10;
      value_[pair * LaserTag::kNumActions + a] = static_cast<float>(value);
    }
  }
}

void LaserTagExpert::start(Streams, Records memory) const {
  const auto& cells = model_.start_cells();
  const float each = 1.0f / static_cast<float>(cells.size() * cells.size());
  for (size_t i = 0; i < memory.count; ++i) {
    auto& weight = memory.as<Memory>(i).weight;
    std::fill(std::begin(weight), std::end(weight), 0.0f);
    for (int robot : cells)
      for (int opponent : cells) weight[robot * LaserTag::kCells + opponent] = each;
  }
}

void LaserTagExpert::act(Records memory, Streams, Records action) const {
  for (size_t i = 0; i < memory.count; ++i) {
    const auto& weight = memory.as<Memory>(i).weight;
    double value[LaserTag::kNumActions] = {};
    for (int pair = 0; pair < kPairs; ++pair)
      if (weight[pair] > 0)
        for (int a = 0; a < LaserTag::kNumActions; ++a)
          value[a] += weight[pair] * value_[pair * LaserTag::kNumActions + a];
    action.as<int>(i) =
        static_cast<int>(std::max_element(std::begin(value), std::end(value)) - std::begin(value));
  }
}

void LaserTagExpert::observe(Records memory, ConstRecords action, ConstRecords seen,
                             Streams streams) const {
  for (size_t i = 0; i < memory.count; ++i) {
    auto& weight = memory.as<Memory>(i).weight;
    const int a = action.as<int>(i);
    const auto& heard = seen.as<LaserTag::Observation>(i);
    std::vector<float> next(kPairs, 0.0f);
    for (int pair = 0; pair < kPairs; ++pair) {
      const LaserTag::State s = state(pair);
      // A tag in the right cell would have ended the episode.
      if (weight[pair] <= 0 || (a == LaserTag::kTag && s.robot == s.opponent)) continue;
      const int robot = model_.robot_after(s.robot, a);
      for (const LaserTag::Move& m : moves_[pair])
        next[robot * LaserTag::kCells + m.cell] += weight[pair] * static_cast<float>(m.probability);
    }
    double total = 0;
    for (int pair = 0; pair < kPairs; ++pair) {
      if (next[pair] <= 0) continue;
      next[pair] *= static_cast<float>(model_.likelihood(heard, a, state(pair)));
      total += next[pair];
    }
    if (!(total > 0)) {  // lost to rounding, or the episode has ended
      start(streams, memory.sub(i, 1));
      continue;
    }
    for (int pair = 0; pair < kPairs; ++pair) weight[pair] = static_cast<float>(next[pair] / total);
  }
}

}  // namespace penumbra

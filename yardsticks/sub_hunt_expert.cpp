#include "yardsticks/sub_hunt_expert.h"

#include <algorithm>
#include <vector>

namespace penumbra {
namespace {

constexpr int kSize = SubHunt::kSize;
constexpr double kPrice = 1;  // what a ping may lose

int index(const SubHunt::State& s) {
  return (s.goal * kSize + s.target_y - 1) * kSize + s.target_x - 1;
}

}  // namespace

SubHunt::State SubHuntExpert::state(const Memory& m, int target) {
  SubHunt::State s{};
  s.own_x = m.own_x;
  s.own_y = m.own_y;
  s.target_x = static_cast<uint8_t>(target % kSize + 1);
  s.target_y = static_cast<uint8_t>(target / kSize % kSize + 1);
  s.goal = static_cast<uint8_t>(target / (kSize * kSize));
  s.aware = m.aware;
  return s;
}

void SubHuntExpert::start(Streams, Records memory) const {
  for (size_t i = 0; i < memory.count; ++i) {
    auto& m = memory.as<Memory>(i);
    m = {};
    m.own_x = m.own_y = kSize / 2;
    for (int at = 1; at <= kSize; ++at)
      for (int goal = 0; goal < 4; ++goal) {
        const bool along_x = goal == SubHunt::kEast || goal == SubHunt::kWest;
        const int opposite = goal == SubHunt::kNorth || goal == SubHunt::kEast ? 1 : kSize;
        const int x = along_x ? opposite : at, y = along_x ? at : opposite;
        m.weight[(goal * kSize + y - 1) * kSize + x - 1] = 0.25f / kSize;
      }
  }
}

int SubHuntExpert::decide(const Memory& m) const {
  if (!m.begun) return SubHunt::kPing;
  double value[SubHunt::kNumActions] = {};
  for (int target = 0; target < kTargets; ++target) {
    if (m.weight[target] <= 0) continue;
    const SubHunt::State s = state(m, target);
    for (int a = 0; a < SubHunt::kNumActions; ++a) {
      const SubHunt::State moved = SubHunt::own_after(s, a);
      double later = 0;
      for (int way = 0; way < 3; ++way)
        later +=
            SubHunt::kWayProbability[way] * model_.mdp_value(SubHunt::target_after(moved, way));
      const double kill = a == SubHunt::kEngage ? model_.kill_probability(s) : 0;
      value[a] += m.weight[target] *
                  (kill * SubHunt::kKillReward + (1 - kill) * model_.options().discount * later);
    }
  }
  const int best =
      static_cast<int>(std::max_element(std::begin(value), std::end(value)) - std::begin(value));
  return value[SubHunt::kPing] >= value[best] - kPrice ? SubHunt::kPing : best;
}

void SubHuntExpert::act(Records memory, Streams, Records action) const {
  for (size_t i = 0; i < memory.count; ++i) action.as<int>(i) = decide(memory.as<Memory>(i));
}

void SubHuntExpert::observe(Records memory, ConstRecords action, ConstRecords seen,
                            Streams streams) const {
  for (size_t i = 0; i < memory.count; ++i) {
    auto& m = memory.as<Memory>(i);
    const int a = action.as<int>(i);
    const auto& heard = seen.as<SubHunt::Observation>(i);
    std::vector<double> next(kTargets, 0.0);
    for (int target = 0; target < kTargets; ++target) {
      if (m.weight[target] <= 0) continue;
      const SubHunt::State s = state(m, target);
      const double missed = a == SubHunt::kEngage ? 1 - model_.kill_probability(s) : 1;
      for (int way = 0; way < 3; ++way) {
        const SubHunt::State to = SubHunt::target_after(s, way);
        if (!SubHunt::at_goal(to))
          next[index(to)] += missed * SubHunt::kWayProbability[way] * m.weight[target];
      }
    }
    const SubHunt::State own = SubHunt::own_after(state(m, 0), a);
    m.own_x = own.own_x;
    m.own_y = own.own_y;
    m.aware = own.aware;
    m.begun = 1;
    double total = 0;
    for (int target = 0; target < kTargets; ++target) {
      if (next[target] <= 0) continue;
      next[target] *= model_.likelihood(heard, a, state(m, target));
      total += next[target];
    }
    if (!(total > 0)) {  // lost to rounding, or the episode has ended
      start(streams, memory.sub(i, 1));
      continue;
    }
    for (int target = 0; target < kTargets; ++target)
      m.weight[target] = static_cast<float>(next[target] / total);
  }
}

}  // namespace penumbra

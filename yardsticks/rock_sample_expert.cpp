#include "yardsticks/rock_sample_expert.h"

#include <algorithm>
#include <cmath>

namespace penumbra {
namespace {
constexpr float kHopeful = 0.45f, kSure = 0.8f;
constexpr int kNearest = 6;
}  // namespace

template <class Bits>
void RockSampleExpert<Bits>::start(Streams, Records memory) const {
  for (size_t i = 0; i < memory.count; ++i) {
    Memory& m = memory.as<Memory>(i);
    m.x = static_cast<typename RockSampleOf<Bits>::Coordinate>(model_.options().start.first);
    m.y = static_cast<typename RockSampleOf<Bits>::Coordinate>(model_.options().start.second);
    for (float& good : m.good) good = static_cast<float>(model_.options().prior_good);
  }
}

template <class Bits>
int RockSampleExpert<Bits>::moves_to(const Memory& m, int rock) const {
  const auto [x, y] = model_.options().rocks[rock];
  return std::abs(x - m.x) + std::abs(y - m.y);
}

template <class Bits>
int RockSampleExpert<Bits>::reach_of_nearest(const Memory& m, Bits hopeful) const {
  const int everywhere = 2 * model_.n();
  if (model_.num_rocks() <= RockSampleOf<Bits>::kMaxSubsetRocks) return everywhere;
  int moves[kNearest];
  std::fill_n(moves, kNearest, everywhere);
  for (int r = 0; r < model_.num_rocks(); ++r) {
    if (!(hopeful >> r & 1)) continue;
    int longer = moves_to(m, r);
    for (int& place : moves)
      if (longer < place) std::swap(longer, place);
  }
  return moves[kNearest - 1];
}

template <class Bits>
int RockSampleExpert<Bits>::decide(const Memory& m) const {
  const auto& options = model_.options();
  const int here = model_.rock_at(m.x, m.y);
  if (here >= 0 && m.good[here] >= kSure) return RockSample::kSample;
  Bits hopeful = 0;
  for (int r = 0; r < model_.num_rocks(); ++r)
    if (m.good[r] >= kHopeful) hopeful |= Bits{1} << r;
  double best = options.exit_reward * std::pow(options.discount, model_.n() - m.x);
  int target = -1;
  const int reach = reach_of_nearest(m, hopeful);
  for (int r = 0; r < model_.num_rocks(); ++r) {
    if (!(hopeful >> r & 1) || moves_to(m, r) > reach) continue;
    const auto [x, y] = options.rocks[r];
    const typename RockSampleOf<Bits>::State after{
        static_cast<typename RockSampleOf<Bits>::Coordinate>(x),
        static_cast<typename RockSampleOf<Bits>::Coordinate>(y), hopeful & ~(Bits{1} << r)};
    const double value = std::pow(options.discount, std::abs(x - m.x) + std::abs(y - m.y)) *
                         (options.good_reward + options.discount * model_.mdp_value(after));
    if (value > best) {
      best = value;
      target = r;
    }
  }
  if (target < 0) return RockSample::kEast;
  const auto [x, y] = options.rocks[target];
  if (m.good[target] < kSure && std::hypot(x - m.x, y - m.y) <= check_distance_)
    return RockSample::kCheck + target;
  if (x != m.x) return x > m.x ? RockSample::kEast : RockSample::kWest;
  if (y != m.y) return y > m.y ? RockSample::kNorth : RockSample::kSouth;
  return RockSample::kCheck + target;
}

template <class Bits>
void RockSampleExpert<Bits>::act(Records memory, Streams, Records action) const {
  for (size_t i = 0; i < memory.count; ++i) action.as<int>(i) = decide(memory.as<Memory>(i));
}

template <class Bits>
void RockSampleExpert<Bits>::observe(Records memory, ConstRecords action, ConstRecords seen,
                                     Streams) const {
  static constexpr int kDx[] = {0, 0, 1, 0, -1}, kDy[] = {0, 1, 0, -1, 0};
  for (size_t i = 0; i < memory.count; ++i) {
    Memory& m = memory.as<Memory>(i);
    const int a = action.as<int>(i);
    if (a >= RockSample::kCheck) {
      const int rock = a - RockSample::kCheck;
      const float right = model_.accuracy({m.x, m.y, 0}, rock);
      const float if_good = index_of(seen, i) == RockSample::kGood ? right : 1 - right;
      float& good = m.good[rock];
      good = good * if_good / (good * if_good + (1 - good) * (1 - if_good));
    } else if (a == RockSample::kSample) {
      if (const int rock = model_.rock_at(m.x, m.y); rock >= 0) m.good[rock] = 0;
    } else {
      const int x = m.x + kDx[a], y = m.y + kDy[a];
      if (x < 1 || x > model_.n() || y < 1 || y > model_.n()) continue;
      m.x = static_cast<typename RockSampleOf<Bits>::Coordinate>(x);
      m.y = static_cast<typename RockSampleOf<Bits>::Coordinate>(y);
    }
  }
}

std::unique_ptr<Policy> rock_sample_expert(const Pomdp& model) {
  if (const auto* narrow = dynamic_cast<const Adapted<RockSample>*>(&model))
    return std::make_unique<RockSampleExpert<uint32_t>>(narrow->model());
  if (const auto* wide = dynamic_cast<const Adapted<WideRockSample>*>(&model))
    return std::make_unique<RockSampleExpert<uint64_t>>(wide->model());
  return nullptr;
}

}  // namespace penumbra

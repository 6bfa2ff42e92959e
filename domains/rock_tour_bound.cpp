#include "domains/rock_tour_bound.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

// Longer walks count as this long, which is on the safe side; the sum of two is an int16_t.
constexpr int kLongest = 15'000;

int distance(std::pair<int, int> a, std::pair<int, int> b) {
  return std::abs(a.first - b.first) + std::abs(a.second - b.second);
}

// The walks that end at one rock: the shortest, the shortest by another rock before that, and the
// rock before it.
struct Ending {
  int16_t best, other, before;
};

// Goes on from the rock `last` to all others. Without branches, 16 bits at a time, so that
// compilers use vectors.
void extend(const int16_t* __restrict leg, Ending ending, int16_t last, int count,
            int16_t* __restrict next, int16_t* __restrict by, int16_t* __restrict second) {
  for (int16_t i = 0; i < count; ++i) {
    const auto length =
        static_cast<int16_t>(leg[i] + (i == ending.before ? ending.other : ending.best));
    const int16_t old = next[i], loser = std::max(length, old), runner_up = second[i];
    second[i] = std::min(loser, runner_up);
    by[i] = length < old ? last : by[i];
    next[i] = std::min(length, old);
  }
}

}  // namespace

struct RockTourBound::Good {
  int count = 0, padded = 0;                // padded: to whole vectors, with rocks out of reach
  int exit = 0;                             // moves from the start to the last column
  int16_t start[kMostRocks];                // moves from the start
  int16_t east[kMostRocks];                 // moves to the last column
  int16_t between[kMostRocks][kMostRocks];  // kLongest from a rock to itself
};

RockTourBound::RockTourBound(int n, std::vector<std::pair<int, int>> rocks, const Rewards& rewards)
    : n_(n), rocks_(std::move(rocks)), rewards_(rewards) {
  PENUMBRA_CHECK(rocks_.size() <= kMostRocks && rewards.good >= 0 && rewards.exit >= 0,
                 "a tour bound takes up to 64 rocks and no reward below 0");
  const int longest = std::min<int>(kLongest, 2 * n * (static_cast<int>(rocks_.size()) + 1));
  power_.resize(longest + n + kMostRocks + 1);
  for (size_t d = 0; d < power_.size(); ++d) power_[d] = std::pow(rewards.discount, double(d));
  for (size_t a = 0; a < rocks_.size(); ++a)
    for (size_t b = 0; b < rocks_.size(); ++b)
      between_.push_back(a == b ? kLongest : static_cast<int16_t>(distance(rocks_[a], rocks_[b])));
}

double RockTourBound::value(int x, int y, uint64_t good_rocks) const {
  Good good;
  good.exit = n_ - x;
  int rock[kMostRocks];
  for (uint64_t rest = good_rocks; rest; rest &= rest - 1) {
    // Insertion by distance: mostly few rocks, and the order of equal ones does not matter.
    const int r = std::countr_zero(rest), d = distance(rocks_[r], {x, y});
    int at = good.count++;
    for (; at > 0 && good.start[at - 1] > d; --at) {
      good.start[at] = good.start[at - 1];
      rock[at] = rock[at - 1];
    }
    good.start[at] = static_cast<int16_t>(d);
    rock[at] = r;
  }
  const int count = good.count;
  good.padded = (count + 15) / 16 * 16;
  for (int i = 0; i < good.padded; ++i) {
    if (i >= count) good.start[i] = kLongest;
    good.east[i] = i < count ? static_cast<int16_t>(n_ - rocks_[rock[i]].first) : kLongest;
  }
  for (int i = 0; i < count; ++i) {
    const int16_t* from = between_.data() + rock[i] * rocks_.size();
    for (int j = 0; j < count; ++j) good.between[i][j] = from[rock[j]];
    for (int j = count; j < good.padded; ++j) good.between[i][j] = kLongest;
  }
  Moves by_walk, by_tree, left;
  walks(good, by_walk, left);
  trees(good, by_tree);
  const int nearest_exit = count ? *std::min_element(good.east, good.east + count) : 0;
  int moves = 0;
  double sum = 0, best = rewards_.exit * power_[good.exit];
  for (int m = 1; m <= count; ++m) {
    moves = std::max<int>({moves, by_walk[m], by_tree[m]});  // never before the rock before
    const int exit = std::max({moves + nearest_exit, int(left[m]), good.exit});
    sum += rewards_.good * power_[moves + m - 1];
    best = std::max(best, sum + rewards_.exit * power_[exit + m]);
  }
  return best;
}

// reached[j]: of the shortest walk over j rocks; left[j]: of one that goes on to the last column.
// Both 0 beyond kWalk.
void RockTourBound::walks(const Good& good, Moves& reached, Moves& left) const {
  int16_t best[kMostRocks], before[kMostRocks], other[kMostRocks];
  for (int i = 0; i < good.padded; ++i) {
    best[i] = good.start[i];
    before[i] = -1;
    other[i] = kLongest;
  }
  const auto count = static_cast<int16_t>(good.count);
  reached.fill(0);
  left.fill(0);
  for (int m = 1; m <= count; ++m) {
    int16_t nearest = kLongest, exit = kLongest;
    for (int i = 0; i < good.padded; ++i) {
      nearest = std::min(nearest, best[i]);
      exit = std::min(exit, static_cast<int16_t>(best[i] + good.east[i]));
    }
    reached[m] = nearest;
    left[m] = exit;
    if (m == std::min<int>(count, kWalk)) break;
    int16_t next[kMostRocks], by[kMostRocks], second[kMostRocks];
    std::fill_n(next, good.padded, int16_t{kLongest});
    std::fill_n(by, good.padded, int16_t{-1});
    std::fill_n(second, good.padded, int16_t{kLongest});
    for (int16_t last = 0; last < count; ++last)
      extend(good.between[last], {best[last], other[last], before[last]}, last, good.padded, next,
             by, second);
    std::copy_n(next, good.padded, best);
    std::copy_n(by, good.padded, before);
    std::copy_n(second, good.padded, other);
  }
}

void RockTourBound::trees(const Good& good, Moves& reached) const {
  reached.fill(kLongest);
  for (int first = 0; first < good.count; first += kGroup) {
    const int size = std::min(first + kGroup, good.count);
    // Prim's from the start: key[i] is the shortest edge from the tree to rock i.
    int16_t key[kMostRocks], edge[kMostRocks];
    int rest[kMostRocks], num_edges = 0;
    for (int i = 0; i < size; ++i) {
      key[i] = good.start[i];
      rest[i] = i;
    }
    for (int left = size; left > 0; --left) {
      int nearest = 0;
      for (int i = 1; i < left; ++i)
        if (key[i] < key[nearest]) nearest = i;
      const int16_t weight = key[nearest];
      const int16_t* from = good.between[rest[nearest]];
      int at = num_edges++;
      for (; at > 0 && edge[at - 1] > weight; --at) edge[at] = edge[at - 1];
      edge[at] = weight;
      key[nearest] = key[left - 1];
      rest[nearest] = rest[left - 1];
      for (int i = 0; i < left - 1; ++i) key[i] = std::min(key[i], from[rest[i]]);
    }
    int sum = 0;
    const int within = good.start[first];
    for (int m = 1; m <= size; ++m) {
      sum = std::min(kLongest, sum + edge[m - 1]);
      // A tour of m rocks that stays inside an earlier group was counted there.
      const int farthest = m > first ? int(good.start[m - 1]) : within;
      reached[m] = static_cast<int16_t>(std::min<int>(reached[m], std::max(sum, farthest)));
    }
  }
}

}  // namespace penumbra

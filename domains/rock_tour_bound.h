// An upper bound on rock-sample's value when the rocks are known, for more rocks than a table over
// all their subsets can hold: a few microseconds per state, polynomial in the number of rocks.
//
// A tour from the cell c that samples the rocks r_1, ..., r_m and leaves pays
//     sum over j of good * discount^(M_j + j - 1)  +  exit * discount^(X + m)
// where M_j is the number of moves until r_j is reached and X that until the last column is. No
// factor grows with M_j or X, so the value is at most
//     max over m of  sum over j <= m of good * discount^(L_j + j - 1)  +  exit * discount^(X_m + m)
// for any L_j that no tour reaches its j-th rock before, and X_m alike. The best m stands for the
// best tour, and penalties only lower what it pays. Two bounds L_j are taken, the larger counts:
//
// 1. Walks. The first j legs of a tour are a walk over rocks that never goes r, r', r. The shortest
//    such walk over j rocks, which may return to r later, is found by dynamic programming over
//    (j, last rock), with the best walk of each and the best by another rock before the last. This
//    is done for the first kWalk rocks; by then the trees say as much.
// 2. Trees. With M_j moves only rocks within M_j of c can have been reached. The first j legs are a
//    forest of j edges among c and those, and no such forest is lighter than the first j edges of
//    Kruskal's on them. Thus M_j is at least the smallest M for which the j lightest edges of the
//    minimum spanning tree over c and the rocks within M weigh at most M. (Rocks join in groups of
//    kGroup, by distance: M is then compared with the first of its group, the tree is that of all,
//    both on the safe side.)
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace penumbra {

class RockTourBound {
 public:
  static constexpr int kMostRocks = 64;
  struct Rewards {
    double good, exit, discount;  // neither reward below 0
  };
  // Cells (x, y) from (1, 1) on a grid of n x n, at most kMostRocks of them.
  RockTourBound(int n, std::vector<std::pair<int, int>> rocks, const Rewards& rewards);

  // From the cell (x, y) when the rocks whose bits are set are good.
  double value(int x, int y, uint64_t good) const;

 private:
  static constexpr int kWalk = 16, kGroup = 8;
  using Moves = std::array<int16_t, kMostRocks + 1>;
  struct Good;  // the good rocks of a state, nearest first
  void walks(const Good& good, Moves& reached, Moves& left) const;
  void trees(const Good& good, Moves& reached) const;

  int n_;
  std::vector<std::pair<int, int>> rocks_;
  Rewards rewards_;
  std::vector<double> power_;     // discount^d
  std::vector<int16_t> between_;  // [rock][rock]: moves
};

}  // namespace penumbra

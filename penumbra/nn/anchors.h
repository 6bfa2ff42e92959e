// Sampled states, and how much each of the nearest counts for another: K(s, x) ~ 1 / (distance^2 +
// 0.001) over the nearest that agree in what is discrete. A function that is known at the anchors
// is known everywhere: alpha(s) = sum over j of K(s, x_j) v_j, attention over anchors.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "penumbra/nn/neighbours.h"

namespace penumbra::nn {

class Anchors {
 public:
  struct Weight {
    int anchor = 0;
    double weight = 0;
  };
  struct Buffer {  // memory of one thread
    std::vector<Neighbours::Near> near;
    std::vector<Weight> weights;
  };

  // `exact`: a state that is an anchor is worth what that is worth, nothing is smeared.
  Anchors(InputRows rows, int width, int neighbours, bool exact);

  size_t count() const { return rows_.code.size(); }
  int width() const { return width_; }
  int neighbours() const { return neighbours_; }
  bool exact() const { return exact_; }
  const InputRows& rows() const { return rows_; }
  // Of row `i`, the nearest first; they add up to one. None where no anchor has its code.
  std::span<const Weight> weigh(const InputRows& rows, size_t i, Buffer& buffer) const;

 private:
  uint64_t hash_of(const InputRows& rows, size_t i) const;

  InputRows rows_;
  int width_, neighbours_;
  bool exact_;
  Neighbours tree_;
  std::unordered_map<uint64_t, int> number_;  // of anchors, by a hash of what is seen of them
};

}  // namespace penumbra::nn

// The nearest of many points that have the same code: a k-d tree per code. Exact; points at the
// same distance come in their order, so that an answer is the same whoever asks.
#pragma once

#include <compare>
#include <span>
#include <unordered_map>
#include <vector>

#include "penumbra/nn/input_keys.h"

namespace penumbra::nn {

class Neighbours {
 public:
  struct Near {
    float distance = 0;  // squared
    int point = 0;
    auto operator<=>(const Near&) const = default;
  };

  Neighbours(const InputRows& points, int width);

  const float* at(int point) const { return x_.data() + size_t(place_[point]) * width_; }
  // The nearest first; fewer than `count` where there are no more, none of an unknown code.
  void find(uint64_t code, const float* x, int count, std::vector<Near>& out) const;

 private:
  struct Node {
    int begin = 0, end = 0;  // of order_
    int axis = -1;           // -1: a leaf
    float split = 0;
    int below = 0, above = 0;
  };
  int build(int begin, int end, const std::vector<float>& x);
  void search(int node, const float* x, size_t count, std::vector<Near>& out) const;

  int width_;
  std::vector<int> place_;  // of a point in the order
  std::vector<int> order_;  // points, those of a leaf side by side
  std::vector<float> x_;    // in that order
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, int> groups_;  // code: its root
};

}  // namespace penumbra::nn

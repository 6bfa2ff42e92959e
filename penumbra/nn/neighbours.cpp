#include "penumbra/nn/neighbours.h"

#include <algorithm>
#include <numeric>

namespace penumbra::nn {
namespace {

constexpr int kLeaf = 12;  // points

}  // namespace

Neighbours::Neighbours(const InputRows& points, int width)
    : width_(width), order_(points.code.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](int a, int b) { return points.code[a] < points.code[b]; });
  const int count = static_cast<int>(order_.size());
  for (int begin = 0, end = 0; begin < count; begin = end) {
    const uint64_t code = points.code[order_[begin]];
    while (end < count && points.code[order_[end]] == code) ++end;
    groups_[code] = build(begin, end, points.x);
  }
  place_.resize(order_.size());
  for (int i = 0; i < count; ++i) place_[order_[i]] = i;
  x_.reserve(points.x.size());
  for (int p : order_)
    x_.insert(x_.end(), points.x.begin() + size_t(p) * width_,
              points.x.begin() + size_t(p + 1) * width_);
}

int Neighbours::build(int begin, int end, const std::vector<float>& x) {
  const int me = static_cast<int>(nodes_.size());
  nodes_.push_back({.begin = begin, .end = end});
  if (end - begin <= kLeaf) return me;
  auto at = [&](int p, int axis) { return x[size_t(p) * width_ + axis]; };
  int widest = -1;
  float most = 0;
  for (int axis = 0; axis < width_; ++axis) {
    float low = at(order_[begin], axis), high = low;
    for (int i = begin + 1; i < end; ++i) {
      low = std::min(low, at(order_[i], axis));
      high = std::max(high, at(order_[i], axis));
    }
    if (high - low > most) {
      most = high - low;
      widest = axis;
    }
  }
  if (widest < 0) return me;  // all in one place
  const int middle = (begin + end) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](int a, int b) {
                     const float left = at(a, widest), right = at(b, widest);
                     return left != right ? left < right : a < b;
                   });
  const float split = at(order_[middle], widest);
  const int below = build(begin, middle, x), above = build(middle, end, x);
  nodes_[me].axis = widest;
  nodes_[me].split = split;
  nodes_[me].below = below;
  nodes_[me].above = above;
  return me;
}

void Neighbours::find(uint64_t code, const float* x, int count, std::vector<Near>& out) const {
  out.clear();
  if (const auto group = groups_.find(code); group != groups_.end())
    search(group->second, x, static_cast<size_t>(count), out);
}

void Neighbours::search(int node, const float* x, size_t count, std::vector<Near>& out) const {
  const Node& n = nodes_[node];
  if (n.axis >= 0) {
    const float side = x[n.axis] - n.split;
    search(side < 0 ? n.below : n.above, x, count, out);
    if (out.size() < count || side * side <= out.back().distance)
      search(side < 0 ? n.above : n.below, x, count, out);
    return;
  }
  for (int i = n.begin; i < n.end; ++i) {
    const float* at = x_.data() + size_t(i) * width_;
    float distance = 0;
    for (int k = 0; k < width_; ++k) distance += (x[k] - at[k]) * (x[k] - at[k]);
    const Near near{distance, order_[i]};
    if (out.size() == count) {
      if (!(near < out.back())) continue;
      out.pop_back();
    }
    out.insert(std::upper_bound(out.begin(), out.end(), near), near);
  }
}

}  // namespace penumbra::nn

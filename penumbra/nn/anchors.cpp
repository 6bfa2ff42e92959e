#include "penumbra/nn/anchors.h"

#include <bit>

#include "penumbra/base/rng.h"

namespace penumbra::nn {
namespace {

constexpr double kBluntness = 0.001;  // squared distance within which anchors count alike

}  // namespace

Anchors::Anchors(InputRows rows, int width, int neighbours, bool exact)
    : rows_(std::move(rows)),
      width_(width),
      neighbours_(neighbours),
      exact_(exact),
      tree_(rows_, width) {
  if (!exact_) return;
  for (size_t i = 0; i < count(); ++i) number_.try_emplace(hash_of(rows_, i), static_cast<int>(i));
}

uint64_t Anchors::hash_of(const InputRows& rows, size_t i) const {
  uint64_t hash = rows.code[i];
  for (int k = 0; k < width_; ++k)
    hash = RngKey::mix(hash ^ std::bit_cast<uint32_t>(rows.x[i * width_ + k]));
  return hash;
}

std::span<const Anchors::Weight> Anchors::weigh(const InputRows& rows, size_t i,
                                                Buffer& buffer) const {
  buffer.weights.clear();
  if (exact_)
    if (const auto at = number_.find(hash_of(rows, i)); at != number_.end()) {
      buffer.weights.push_back({at->second, 1});
      return buffer.weights;
    }
  tree_.find(rows.code[i], rows.x.data() + i * width_, neighbours_, buffer.near);
  double total = 0;
  for (const Neighbours::Near& near : buffer.near) {
    const double weight = 1 / (near.distance + kBluntness);
    buffer.weights.push_back({near.point, weight});
    total += weight;
  }
  if (!(total > 0))  // all of them infinitely far
    for (Weight& w : buffer.weights) w.weight = 1.0 / static_cast<double>(buffer.weights.size());
  else
    for (Weight& w : buffer.weights) w.weight /= total;
  return buffer.weights;
}

}  // namespace penumbra::nn

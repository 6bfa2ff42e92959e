#include "penumbra/solvers/anchors/kernel.h"

namespace penumbra::anchors {
namespace {

constexpr double kBluntness = 0.001;  // squared distance within which anchors count alike

}  // namespace

std::span<const Kernel::Weight> Kernel::weigh(const Neighbours& anchors, const InputRows& rows,
                                              size_t i, int width, Buffer& buffer) const {
  anchors.find(rows.code[i], rows.x.data() + i * width, neighbours_, buffer.near);
  buffer.weights.clear();
  double total = 0;
  for (const Neighbours::Near& near : buffer.near) {
    const double weight = 1 / (near.distance + kBluntness);
    buffer.weights.push_back({near.point, weight});
    total += weight;
  }
  for (Weight& w : buffer.weights) w.weight /= total;
  return buffer.weights;
}

}  // namespace penumbra::anchors

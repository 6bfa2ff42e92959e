#include "penumbra/solvers/ppo/batch.h"

#include <algorithm>

namespace penumbra::ppo {

Batch::Batch(int n, int t, const nn::RecurrentLayout& layout, int width)
    : lanes(n),
      steps(t),
      blocks(layout.num_blocks()),
      dense_width(layout.num_dense()),
      hidden(layout.shape.hidden),
      action_width(width) {
  const size_t rows = size_t(n) * t, more = rows + n;
  index.resize(more * blocks);
  dense.resize(more * dense_width);
  starts.resize(more);
  value.resize(more);
  actor_memory.resize(size_t(n) * hidden);
  critic_memory.resize(size_t(n) * hidden);
  action.resize(rows * width);
  for (auto* part : {&log_probability, &reward, &advantage, &target}) part->resize(rows);
  ended.resize(rows);
  valid.resize(rows);
}

const nn::SequenceInput& LaneInputs::take(const Batch& b, std::span<const int> lanes, int steps,
                                          const std::vector<float>& memory) {
  const size_t n = lanes.size(), rows = n * steps;
  index_.resize(rows * b.blocks);
  dense_.resize(rows * b.dense_width);
  starts_.resize(rows);
  memory_.resize(n * b.hidden);
  for (int t = 0; t < steps; ++t)
    for (size_t i = 0; i < n; ++i) {
      const size_t from = b.at(t, lanes[i]), to = t * n + i;
      std::copy_n(b.index.data() + from * b.blocks, b.blocks, index_.data() + to * b.blocks);
      std::copy_n(b.dense.data() + from * b.dense_width, b.dense_width,
                  dense_.data() + to * b.dense_width);
      starts_[to] = b.starts[from];
    }
  for (size_t i = 0; i < n; ++i)
    std::copy_n(memory.data() + size_t(lanes[i]) * b.hidden, b.hidden,
                memory_.data() + i * b.hidden);
  input_ = {static_cast<int>(n), steps,          index_.data(),
            dense_.data(),       starts_.data(), memory_.data()};
  return input_;
}

void add_advantages(Batch& b, double discount, double lambda) {
  for (int lane = 0; lane < b.lanes; ++lane) {
    double later = 0;  // advantage of the step after
    for (int t = b.steps - 1; t >= 0; --t) {
      const size_t at = b.at(t, lane);
      if (!b.valid[at]) {
        later = 0;
        b.advantage[at] = 0;
        b.target[at] = b.value[at];
        continue;
      }
      const double next = b.ended[at] ? 0.0 : b.value[b.at(t + 1, lane)];
      if (b.ended[at]) later = 0;
      const double delta = b.reward[at] + discount * next - b.value[at];
      later = delta + discount * lambda * later;
      b.advantage[at] = static_cast<float>(later);
      b.target[at] = static_cast<float>(later + b.value[at]);
    }
  }
}

}  // namespace penumbra::ppo

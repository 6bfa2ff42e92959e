// What one round of experience holds, time-major: entry (t, lane) is at t * lanes + lane.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "penumbra/nn/gru_sequence.h"

namespace penumbra::ppo {

struct Batch {
  Batch(int lanes, int steps, const nn::RecurrentLayout& layout, int action_width);

  int lanes, steps, blocks, dense_width, hidden, action_width;
  // Inputs of the networks; one step more than the rest: what the last action led to.
  std::vector<int32_t> index;
  std::vector<float> dense;
  std::vector<uint8_t> starts;
  std::vector<float> actor_memory, critic_memory;  // of each lane, before the first step
  std::vector<float> action, log_probability, reward;
  std::vector<uint8_t> ended;  // by the model
  std::vector<uint8_t> valid;  // 0: the episode was cut after this step, so nothing is learnt of it
  std::vector<float> value;    // as the critic gave it; one step more
  std::vector<float> advantage, target;

  size_t at(int t, int lane) const { return size_t(t) * lanes + lane; }
};

// The inputs of some lanes of a batch, one after the other, as a sequence wants them.
class LaneInputs {
 public:
  const nn::SequenceInput& take(const Batch& batch, std::span<const int> lanes, int steps,
                                const std::vector<float>& memory);

 private:
  std::vector<int32_t> index_;
  std::vector<float> dense_, memory_;
  std::vector<uint8_t> starts_;
  nn::SequenceInput input_;
};

// Generalised advantage estimation: A_t = delta_t + gamma lambda A_{t+1}, where
// delta_t = r_t + gamma V_{t+1} - V_t, and target_t = A_t + V_t. Nothing passes the end of an
// episode; where one was cut, the critic's value stands for the rest.
void add_advantages(Batch& batch, double discount, double lambda);

}  // namespace penumbra::ppo

// Runs a recurrent network over a few lanes and many steps, and back again: back-propagation
// through time, truncated where the sequence begins. Rows are time-major: row t * lanes + lane.
// Where an episode starts, the memory is cleared and no slope passes to what was before.
//
// Everything but the recurrence itself is done on tiles of rows that stay in cache.
#pragma once

#include <cstdint>
#include <vector>

#include "penumbra/nn/recurrent_net.h"

namespace penumbra::nn {

// One row per step and lane.
struct SequenceInput {
  int lanes = 0, steps = 0;
  const int32_t* index = nullptr;   // rows of the first layer, num_blocks() for each row
  const float* dense = nullptr;     // num_dense() for each row
  const uint8_t* starts = nullptr;  // 1: the memory is cleared before this row
  const float* memory = nullptr;    // hidden floats per lane, before the first row
  int rows() const { return lanes * steps; }
};

// The matrices of a network the other way round, for slopes.
class TransposedNet {
 public:
  explicit TransposedNet(const RecurrentLayout& layout);
  // After every change of the parameters.
  void refresh(const float* parameters);

 private:
  friend class GruSequence;
  const RecurrentLayout& layout_;
  AlignedVector<float> input_, state_, after_, head_;
};

class GruSequence {
 public:
  // Room for this many lanes and steps.
  GruSequence(const RecurrentLayout& layout, int lanes, int steps);

  void forward(const float* parameters, const SequenceInput& in);
  // Of a row of the last forward().
  const float* outputs(int row) const { return out_.data() + row * out_stride_; }
  const float* memory(int row) const { return memory_.data() + row * stride_; }

  // Where the slopes of the loss by the outputs of a row go, before backward(). Padding stays 0.
  float* slopes(int row) { return out_slope_.data() + row * out_stride_; }
  // Adds the gradient of the last forward(), laid out as the parameters. Ends what the rows hold.
  void backward(const TransposedNet& transposed, const SequenceInput& in, float* gradient);

 private:
  void first_layer(const float* parameters, const SequenceInput& in, int row, int rows);
  void through_time(const float* parameters, const SequenceInput& in);
  void back_from_head(const TransposedNet& t, int row, int rows, float* gradient);
  void back_through_time(const TransposedNet& t, const SequenceInput& in);
  void back_to_inputs(const TransposedNet& t, const SequenceInput& in, int row, int rows,
                      float* gradient);

  const RecurrentLayout& layout_;
  size_t stride_, gates_stride_, out_stride_;
  AlignedVector<float> first_, gates_, side_n_, prior_, memory_, after_, out_, out_slope_;
  AlignedVector<float> side_, carry_, panels_;  // of a step; of a step; of a tile
};

}  // namespace penumbra::nn

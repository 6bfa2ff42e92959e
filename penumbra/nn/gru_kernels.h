// The pointwise part of a gated recurrent unit, compiled once per instruction set. With p the
// memory before a step, and x and h standing for what the two matrix products gave,
//
//   r = sigmoid(x_r + h_r)    z = sigmoid(x_z + h_z)    n = tanh(x_n + r h_n)
//   memory = (1 - z) n + z p
//
// Rows are row-major with strides of their own; a row of three gates holds r, z, n side by side.
#pragma once

#include <cstddef>

namespace penumbra::nn {

struct GruForward {
  int rows = 0, width = 0;      // width: a multiple of kPanel
  float* gates = nullptr;       // in: x; out: r, z, n
  const float* side = nullptr;  // h
  float* side_n = nullptr;      // out: h_n
  const float* prior = nullptr;
  float* memory = nullptr;                      // out
  size_t gates_row = 0, side_row = 0, row = 0;  // `row` of the others
};

struct GruBackward {
  int rows = 0, width = 0;
  const float* slope = nullptr;  // of the loss by the memory
  float* gates = nullptr;        // in: r, z, n; out: slopes by x
  float* side_n = nullptr;       // in: h_n; out: slope by h_n (those by h_r and h_z are x's)
  const float* prior = nullptr;
  float* carry = nullptr;  // out: the part of the slope by p that does not go through h
  size_t gates_row = 0, row = 0;
};

struct GruKernels {
  void (*forward)(const GruForward&);
  void (*backward)(const GruBackward&);
};

const GruKernels& gru_kernels();

}  // namespace penumbra::nn

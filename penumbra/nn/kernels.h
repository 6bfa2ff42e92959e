// The inner loops, compiled once per instruction set and chosen when the program starts.
// Matrices of weights are packed into panels of kPanel columns: panel p holds its `inner` rows of
// kPanel values one after the other. Every kernel adds up in an order that depends only on its
// arguments, so results are the same for every split into tiles and threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "penumbra/nn/aligned.h"

namespace penumbra::nn {

// C = start + A B, then optionally max(C, 0), or zero where mask is not positive.
// C has `rows` rows and `panels` panels of one cache line each (16 floats or 8 doubles).
template <class T>
struct Gemm {
  int rows = 0, inner = 0, panels = 0;
  const T* a = nullptr;  // element (i, k) at a[i * a_row + k * a_inner]; one stride must be 1
  size_t a_row = 0, a_inner = 1;
  const T* b = nullptr;  // element (k, j) of panel p at b[p * b_panel + k * b_inner + j]
  size_t b_panel = 0, b_inner = 0;
  T* c = nullptr;  // element (i, j) of panel p at c[i * c_row + p * c_panel + j]
  size_t c_row = 0, c_panel = 0;
  const T* bias = nullptr;  // start of every row, bias[p * width + j]; zero if absent
  bool accumulate = false;  // start from C itself instead
  bool relu = false;
  const T* mask = nullptr;  // same shape as C; not together with relu
  size_t mask_row = 0, mask_panel = 0;
};

// The sources of one row of a first layer: `num_table` rows of one table, then `num_lut` rows of
// another; index holds their numbers, num_table + num_lut for each row. Both tables are packed
// into panels of kPanel columns, like weights.
struct Sources {
  const int32_t* index = nullptr;
  int num_table = 0, num_lut = 0;
};

// out[r] = bias + the sum of the sources of r, then optionally ReLU.
struct Gather : Sources {
  int rows = 0, panels = 0;
  const float *table = nullptr, *lut = nullptr;
  size_t table_panel = 0, lut_panel = 0;  // from one panel to the next
  const float* bias = nullptr;
  float* out = nullptr;  // row-major
  size_t out_row = 0;
  bool relu = false;
};

// Adds the values of row r to every source of r, row after row.
struct Scatter : Sources {
  int rows = 0, panels = 0;
  const float* values = nullptr;  // panels of rows x kPanel
  float *table = nullptr, *lut = nullptr;
  size_t values_panel = 0, table_panel = 0, lut_panel = 0;
};

// One step of Adam on a rows x columns block; the gradient is the sum of `num_gradients` blocks,
// `gradient_step` apart, each with its own row stride.
struct Adam {
  int rows = 0, columns = 0;  // columns: a multiple of kPanel
  float *weight = nullptr, *mean = nullptr, *square = nullptr;
  size_t row = 0;
  const float* gradient = nullptr;
  size_t gradient_row = 0, gradient_step = 0;
  int num_gradients = 1;
  float scale = 1;  // of the summed gradient
  float beta1 = 0.9f, beta2 = 0.999f;
  float rate = 0;     // learning rate with both bias corrections
  float epsilon = 0;  // with the bias correction of the second moment
};

struct Kernels {
  const char* isa;
  void (*gemm)(const Gemm<float>&);
  void (*gemm_double)(const Gemm<double>&);
  void (*gather)(const Gather&);
  void (*scatter)(const Scatter&);
  void (*adam)(const Adam&);
  // out[r] = bias + a[r] . w, for a single output unit.
  void (*dot_rows)(int rows, int inner, const float* a, size_t a_row, const float* w, float bias,
                   float* out);
  // out[r][k] = d[r] * w[k] where mask[r][k] > 0, else 0; columns a multiple of kPanel.
  void (*outer)(int rows, int columns, const float* d, const float* w, const float* mask,
                float* out, size_t row);
  // sum[k] += sum over r of d[r] * a[r][k] (d null: of a[r][k]); columns a multiple of kPanel.
  void (*weighted_sum)(int rows, int columns, const float* d, const float* a, size_t a_row,
                       float* sum);
  // sum[k] += weight * a[k], in double.
  void (*add_double)(int columns, double weight, const float* a, double* sum);
  // Runs `steps` rounds of 12 independent chains of fused multiply-adds on full vectors and
  // returns the number of scalar multiply-adds done: the yardstick of the benchmarks.
  double (*fma_loop)(long steps, float* sink);
};

// The fastest table that this processor can run.
const Kernels& kernels();

// Every table that this processor can run, for tests; call it before starting threads.
std::vector<Kernels> supported_kernels();

}  // namespace penumbra::nn

// Gradient steps on one network. A step has two phases, each split by the work alone, so that
// the weights are the same for any number of threads:
//   1. rows: slots of 256 rows run forward and backward in tiles, each slot with gradients of its
//      own for the dense layers; the first layer's errors of all rows are kept;
//   2. parameters: each pair of panels of the first layer scatters those errors to its rows and
//      takes its Adam step at once; each panel of the others adds up its slots and does the same.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "penumbra/base/stop.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/nn/forward.h"
#include "penumbra/nn/kernels.h"
#include "penumbra/nn/loss.h"
#include "penumbra/nn/mlp.h"

namespace penumbra::nn {

// Rows to learn from. Either targets[row * outputs + o] for all outputs, or heads[row] names the
// one output that targets[row] belongs to.
struct TrainingData {
  const Inputs* inputs = nullptr;
  std::span<const float> targets = {};
  std::span<const float> weights = {};      // per row; empty: all 1
  std::span<const int32_t> heads = {};      // per row; empty: every row has all outputs
  std::span<const double> error_unit = {};  // per output, factor of reported errors; empty: all 1
};

struct AdamOptions {
  double rate = 0.005, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
};

// Sums over rows; mean square error = squared / weight.
struct ErrorSum {
  double squared = 0, weight = 0;
  void add(const ErrorSum& other) {
    squared += other.squared;
    weight += other.weight;
  }
  double mean() const { return weight > 0 ? squared / weight : 0; }
};

class Trainer {
 public:
  static constexpr int kSlotRows = 256;

  // Trains `network` in place; `batch` is the most rows of a step.
  Trainer(Mlp& network, const TrainingData& data, Loss loss, int batch, ThreadPool* pool = nullptr);

  // One Adam step on these rows of the data; returns their errors before the step.
  ErrorSum step(std::span<const int32_t> rows, const AdamOptions& options);
  // The gradient of the mean loss of these rows, in plain order, with their errors.
  ErrorSum gradient(std::span<const int32_t> rows, std::span<float> plain);
  // Errors of the network as it is; when it is stopped (base/stop.h: asked from several threads at
  // once), of the rows until then.
  ErrorSum evaluate(std::span<const int32_t> rows, const Stop& stop = {});
  // Call after changing the network's parameters from outside.
  void refresh();

 private:
  struct Scratch {
    Scratch(const Plan& plan, int tile) : forward(plan, tile) {}
    Forward forward;
    AlignedVector<float> out_delta;
  };
  struct Item {  // of phase 2: a panel of a layer; of the first layer (-1) two panels
    int layer = -1, panel = 0;
  };

  std::unique_ptr<Scratch> take_scratch();
  void return_scratch(std::unique_ptr<Scratch> scratch);
  void load_rows(std::span<const int32_t> rows, size_t at);
  ErrorSum output_errors(std::span<const int32_t> rows, Scratch& scratch, bool want_delta);
  void forward_backward(std::span<const int32_t> rows);
  void run_slot(std::span<const int32_t> rows, size_t at, float* gradient, ErrorSum& error);
  void backward(Scratch& scratch, size_t at, int rows, float* gradient);
  void split_panels(const float* from, size_t row, int rows, float* to) const;
  void first_gradients(size_t at, int rows, float* gradient) const;
  AlignedVector<float> scatter_panels(int panel, int count) const;
  void step_first(int panel, int count, const Adam& adam);
  void step_block(size_t offset, int columns, size_t slot_offset, Adam adam);
  void step_panel(const Item& item, const Adam& adam);
  void transpose_panel(int layer, int panel);
  void build_lut_panel(int panel);

  // Where a slot keeps its gradients: the first layer's dense rows panel by panel, then its
  // biases and all other layers in the order of the parameters.
  size_t slot_dense(int panel) const { return size_t(panel) * plan_.num_dense * kPanel; }
  size_t slot_offset(size_t parameter) const {
    return dense_floats_ + parameter - plan_.first.bias;
  }

  Mlp& network_;
  const Plan& plan_;
  TrainingData data_;
  Loss loss_;
  ThreadPool* pool_;
  size_t batch_, delta_rows_, dense_floats_, slot_floats_;
  std::vector<Item> items_;
  std::vector<AlignedVector<float>> transposed_;  // per layer, panels of its transpose
  AlignedVector<float> lut_, gradients_;
  AlignedVector<float> first_delta_;    // errors of the first layer: panels x delta_rows_ x kPanel
  AlignedVector<float> mean_, square_;  // Adam's moments
  std::vector<int32_t> index_;          // of the rows of the step
  std::vector<float> dense_;
  std::vector<ErrorSum> errors_;
  size_t step_rows_ = 0;
  long steps_ = 0;
  double power1_ = 1, power2_ = 1;  // beta^steps

  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> scratch_;  // last in, first out: stays in cache
};

}  // namespace penumbra::nn

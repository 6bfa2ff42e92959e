// A multilayer perceptron in float: y = W_L relu(... relu(W_1 x + b_1) ...) + b_L, where x is a
// typed feature row (penumbra/base/features.h). Prediction is const and safe from many threads.
//
//   Mlp network = Mlp::random({layout, preset("paper-rock-sample")}, key);
//   network.predict(states, values);
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "penumbra/base/rng.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/nn/bytes.h"
#include "penumbra/nn/parameter_layout.h"

namespace penumbra::nn {

class Mlp {
 public:
  explicit Mlp(MlpShape shape);  // all parameters zero
  explicit Mlp(std::shared_ptr<const ParameterLayout> layout);
  // He initialisation; the fan-in of the first layer counts what is active at once, so that
  // one-hot blocks do not start out silent.
  static Mlp random(MlpShape shape, RngKey key);

  const MlpShape& shape() const { return layout_->shape; }
  const ParameterLayout& layout() const { return *layout_; }
  std::shared_ptr<const ParameterLayout> shared_plan() const { return layout_; }

  // out[r * outputs + o]; the pool splits the rows, results do not depend on it.
  void predict(const FeatureBatch& states, std::span<float> out, ThreadPool* pool = nullptr) const;

  // Parameters as the kernels want them (layout.h), and in plain order: for each layer weights
  // [in][out] row by row (inputs in the order of FeatureBatch::expand), then biases.
  std::span<const float> packed() const { return parameters_; }
  std::span<float> packed() { return parameters_; }
  std::vector<float> plain() const;
  void set_plain(std::span<const float> values);
  bool finite() const;
  // Replaces output o by scale[o] * output + shift[o].
  void rescale_outputs(std::span<const double> scale, std::span<const double> shift);

  Bytes save() const;
  static Mlp load(std::span<const std::byte> bytes);
  void write(ByteWriter& out) const;
  static Mlp read(ByteReader& in);

 private:
  std::shared_ptr<const ParameterLayout> layout_;
  AlignedVector<float> parameters_;
};

}  // namespace penumbra::nn

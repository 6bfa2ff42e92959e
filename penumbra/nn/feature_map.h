// Features that many value functions share: the last hidden layer of a frozen network, and a
// constant. The network is random (no training, good enough beside local samples) or a trunk that
// was trained jointly on the targets of several nodes.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "penumbra/nn/fit.h"
#include "penumbra/nn/mlp.h"

namespace penumbra::nn {

// Rows of features; the constant 1 is the last of `width` columns, the rest of a row is zero.
struct FeatureMatrix {
  int rows = 0, width = 0, stride = 0;
  AlignedVector<float> values;

  FeatureMatrix() = default;
  FeatureMatrix(int num_rows, int num_columns)
      : rows(num_rows),
        width(num_columns),
        stride(padded(num_columns)),
        values(size_t(num_rows) * stride) {}
  const float* row(int i) const { return values.data() + size_t(i) * stride; }
};

class FeatureMap {
 public:
  // The hidden layers of this network; its outputs are dropped. Needs a hidden layer.
  explicit FeatureMap(const Mlp& trunk);
  // width - 1 random ReLU units and the constant.
  static FeatureMap random(const FeatureLayout& layout, int width, RngKey key);

  const FeatureLayout& layout() const { return trunk_.shape().input; }
  const Mlp& trunk() const { return trunk_; }
  int width() const { return trunk_.shape().hidden.back() + 1; }

  FeatureMatrix compute(const FeatureBatch& states, ThreadPool* pool = nullptr) const;
  // Calls take(row, rows, features, stride) for tiles of [begin, end) in order, on this thread.
  // Columns from width() up to the next multiple of kPanel are zero.
  using Take = std::function<void(int row, int rows, const float* features, size_t stride)>;
  void for_tiles(const Inputs& inputs, int begin, int end, const Take& take) const;

  void write(ByteWriter& out) const { trunk_.write(out); }
  static FeatureMap read(ByteReader& in) { return FeatureMap(Mlp::read(in)); }
  Bytes save() const;
  static FeatureMap load(std::span<const std::byte> bytes);

 private:
  Mlp trunk_;  // with one output, unused
};

struct TrunkResult {
  std::optional<FeatureMap> map;  // absent unless report.good()
  FitReport report;
};

// Trains one network with an output per node on all nodes' samples (samples.heads says whose a
// row is), and freezes its hidden layers. `hidden` ends with the number of features less one.
TrunkResult train_trunk(const FeatureLayout& layout, std::span<const int> hidden, int num_heads,
                        const Samples& samples, const FitOptions& options, RngKey key,
                        ThreadPool* pool = nullptr);

}  // namespace penumbra::nn

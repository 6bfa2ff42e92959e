#include "penumbra/nn/feature_map.h"

#include <algorithm>

#include "penumbra/base/error.h"
#include "penumbra/nn/forward.h"
#include "penumbra/nn/parallel.h"

namespace penumbra::nn {
namespace {

constexpr uint32_t kVersion = 1;
constexpr size_t kChunkRows = 8 * Forward::kTileRows;

// The same hidden layers below a single output of zeros.
Mlp without_outputs(const Mlp& trunk) {
  if (trunk.shape().hidden.empty()) {
    throw Error("feature map: a linear network has no hidden layer; give it one");
  }
  MlpShape shape = trunk.shape();
  shape.outputs = 1;
  Mlp own(shape);
  std::vector<float> values = trunk.plain();
  const size_t last = trunk.layout().layers.back().in + 1;
  values.resize(values.size() - last * trunk.shape().outputs);
  values.resize(values.size() + last, 0.0f);
  own.set_plain(values);
  return own;
}

}  // namespace

FeatureMap::FeatureMap(const Mlp& trunk) : trunk_(without_outputs(trunk)) {}

FeatureMap FeatureMap::random(const FeatureLayout& layout, int width, RngKey key) {
  if (width < 2) throw Error("feature map: at least two features, one of them the constant");
  Mlp network = Mlp::random({layout, {width - 1}, 1}, key);
  const ParameterLayout& placed = network.layout();
  // Biases spread the kinks of the units over the inputs, which matters for dense values.
  Rng rng(key.fold("biases"), 0);
  for (int n = 0; n < width - 1; ++n) {
    network.packed()[placed.first.bias + n] = static_cast<float>(rng.normal(0, 0.7));
  }
  return FeatureMap(network);
}

void FeatureMap::for_tiles(const Inputs& inputs, int begin, int end, const Take& take) const {
  const ParameterLayout& placed = trunk_.layout();
  const int units = width() - 1, last = placed.num_hidden() - 1;
  Forward forward(placed, std::max(1, std::min(Forward::kTileRows, end - begin)));
  forward.use(trunk_.packed().data(), end - begin);
  float* features = forward.hidden(last);
  const size_t stride = forward.stride(last);
  for (int r = begin; r < end; r += forward.tile_rows()) {
    const int rows = std::min(forward.tile_rows(), end - r);
    forward.run_hidden(inputs.index(r), inputs.dense(r), rows);
    for (int i = 0; i < rows; ++i) features[i * stride + units] = 1;
    take(r, rows, features, stride);
  }
}

FeatureMatrix FeatureMap::compute(const FeatureBatch& states, ThreadPool* pool) const {
  const Inputs inputs(trunk_.layout(), states);
  FeatureMatrix out(states.rows(), width());
  for_chunks(pool, states.rows(), kChunkRows, [&](size_t, size_t begin, size_t end) {
    for_tiles(inputs, int(begin), int(end), [&](int row, int rows, const float* from, size_t at) {
      for (int i = 0; i < rows; ++i) {
        std::copy_n(from + i * at, out.stride, out.values.data() + size_t(row + i) * out.stride);
      }
    });
  });
  return out;
}

Bytes FeatureMap::save() const {
  ByteWriter out;
  write(out);
  return seal(Kind::kFeatureMap, kVersion, out);
}

FeatureMap FeatureMap::load(std::span<const std::byte> bytes) {
  ByteReader in = open_sealed(bytes, Kind::kFeatureMap, kVersion);
  FeatureMap map = read(in);
  in.finish();
  return map;
}

TrunkResult train_trunk(const FeatureLayout& layout, std::span<const int> hidden, int num_heads,
                        const Samples& samples, const FitOptions& options, RngKey key,
                        ThreadPool* pool) {
  const MlpShape shape{layout, {hidden.begin(), hidden.end()}, num_heads};
  FitResult fitted = fit(shape, samples, options, key, pool);
  TrunkResult result;
  result.report = fitted.report;
  if (fitted.network) result.map.emplace(*fitted.network);
  return result;
}

}  // namespace penumbra::nn

#include "penumbra/nn/mlp.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "penumbra/base/error.h"
#include "penumbra/nn/forward.h"
#include "penumbra/nn/parallel.h"

namespace penumbra::nn {
namespace {

constexpr uint32_t kVersion = 1;
constexpr size_t kChunkRows = 8 * Forward::kTileRows;

void fill_normal(const DenseLayer& layer, double deviation, Rng& rng, float* parameters) {
  for (int k = 0; k < layer.in; ++k) {
    for (int n = 0; n < layer.out; ++n) {
      parameters[layer.weight(k, n)] = static_cast<float>(rng.normal(0, deviation));
    }
  }
}

}  // namespace

Mlp::Mlp(MlpShape shape) : Mlp(std::make_shared<const ParameterLayout>(std::move(shape))) {}

Mlp::Mlp(std::shared_ptr<const ParameterLayout> layout)
    : layout_(std::move(layout)), parameters_(layout_->num_floats) {}

Mlp Mlp::random(MlpShape shape, RngKey key) {
  Mlp network(std::move(shape));
  const ParameterLayout& layout = network.layout();
  float* parameters = network.parameters_.data();
  const FeatureLayout& input = layout.shape.input;
  const double active = input.categories.size() + 0.5 * input.num_bits + input.num_dense;
  // Outputs start out small: a fresh network is close to the constant zero.
  constexpr double kOutputGain = 0.01;
  const double gain = layout.num_hidden() > 0 ? 2 : kOutputGain;
  Rng rng(key.fold("weights"), 0);
  const double deviation = std::sqrt(gain / active);
  fill_normal(layout.first, deviation, rng, parameters);
  for (size_t l = 0; l < layout.layers.size(); ++l) {
    const double layer_gain = l + 1 < layout.layers.size() ? 2 : kOutputGain;
    fill_normal(layout.layers[l], std::sqrt(layer_gain / layout.layers[l].in), rng, parameters);
  }
  return network;
}

void Mlp::predict(const FeatureBatch& states, std::span<float> out, ThreadPool* pool) const {
  const int outputs = layout_->shape.outputs;
  if (out.size() != size_t(states.rows()) * outputs) {
    throw Error("predict: room for " + std::to_string(out.size()) + " values where " +
                std::to_string(size_t(states.rows()) * outputs) + " are computed");
  }
  const Inputs inputs(*layout_, states);
  for_chunks(pool, states.rows(), kChunkRows, [&](size_t, size_t begin, size_t end) {
    Forward forward(*layout_, int(std::min<size_t>(Forward::kTileRows, end - begin)));
    forward.use(parameters_.data(), int(end - begin));
    for (size_t r = begin; r < end; r += forward.tile_rows()) {
      const int rows = int(std::min<size_t>(forward.tile_rows(), end - r));
      forward.run(inputs.index(int(r)), inputs.dense(int(r)), rows);
      for (int i = 0; i < rows; ++i) {
        const float* from = forward.outputs() + size_t(i) * forward.output_stride();
        std::copy(from, from + outputs, out.data() + (r + i) * outputs);
      }
    }
  });
}

std::vector<float> Mlp::plain() const {
  std::vector<float> values;
  values.reserve(layout_->num_plain());
  layout_->for_each_plain([&](size_t at) { values.push_back(parameters_[at]); });
  return values;
}

void Mlp::set_plain(std::span<const float> values) {
  if (values.size() != layout_->num_plain()) {
    throw Error("network parameters: " + std::to_string(values.size()) + " values where " +
                std::to_string(layout_->num_plain()) + " are needed");
  }
  size_t next = 0;
  layout_->for_each_plain([&](size_t at) { parameters_[at] = values[next++]; });
}

bool Mlp::finite() const {
  return std::all_of(parameters_.begin(), parameters_.end(),
                     [](float x) { return std::isfinite(x); });
}

void Mlp::rescale_outputs(std::span<const double> scale, std::span<const double> shift) {
  auto apply = [&](size_t at, int n, double added) {
    parameters_[at] = static_cast<float>(scale[n] * parameters_[at] + added);
  };
  const DenseLayer& last = layout_->layers.empty() ? layout_->first : layout_->layers.back();
  for (int k = 0; k < last.in; ++k) {
    for (int n = 0; n < last.out; ++n) apply(last.weight(k, n), n, 0);
  }
  for (int n = 0; n < last.out; ++n) apply(last.bias + n, n, shift[n]);
}

void Mlp::write(ByteWriter& out) const {
  write_shape(out, layout_->shape);
  out.floats(plain());
}

Mlp Mlp::read(ByteReader& in) {
  MlpShape shape = read_shape(in);
  const std::vector<float> values = in.floats();
  // Checked before memory is taken: a shape costs a few bytes, its parameters may cost gigabytes.
  double expected =
      double(shape.input.width() + 1) * (shape.hidden.empty() ? shape.outputs : shape.hidden[0]);
  for (size_t i = 0; i < shape.hidden.size(); ++i) {
    const bool last = i + 1 == shape.hidden.size();
    expected += (shape.hidden[i] + 1.0) * (last ? shape.outputs : shape.hidden[i + 1]);
  }
  if (expected != double(values.size())) {
    throw Error("saved network: its parameters do not fit its shape; save it again");
  }
  Mlp network(std::move(shape));
  network.set_plain(values);
  return network;
}

Bytes Mlp::save() const {
  ByteWriter out;
  write(out);
  return seal(Kind::kMlp, kVersion, out);
}

Mlp Mlp::load(std::span<const std::byte> bytes) {
  ByteReader in = open_sealed(bytes, Kind::kMlp, kVersion);
  Mlp network = read(in);
  in.finish();
  return network;
}

}  // namespace penumbra::nn

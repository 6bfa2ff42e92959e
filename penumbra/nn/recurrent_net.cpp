#include "penumbra/nn/recurrent_net.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "penumbra/base/error.h"
#include "penumbra/nn/orthogonal.h"

namespace penumbra::nn {
namespace {

constexpr int kMostHidden = 8192;

DenseLayer place(size_t& next, int in, int out) {
  DenseLayer layer;
  layer.in = layer.panel_rows = in;
  layer.out = out;
  layer.out_padded = padded(out);
  layer.weights = next;
  layer.bias = layer.weights + size_t(in) * layer.out_padded;
  next = layer.bias + layer.out_padded;
  return layer;
}

template <class Visit>
void for_each_plain(const RecurrentLayout& layout, const Visit& visit) {
  for (const DenseLayer* layer : layout.layers()) {
    for (int k = 0; k < layer->in; ++k) {
      for (int n = 0; n < layer->out; ++n) visit(layer->weight(k, n));
    }
    for (int n = 0; n < layer->out; ++n) visit(layer->bias + n);
  }
}

// One orthogonal block of a layer, its columns from `column` on.
void fill(const DenseLayer& layer, int column, int columns, double gain, RngKey key,
          float* parameters) {
  const std::vector<float> block = orthogonal(layer.in, columns, gain, key);
  for (int k = 0; k < layer.in; ++k) {
    for (int n = 0; n < columns; ++n)
      parameters[layer.weight(k, column + n)] = block[size_t(k) * columns + n];
  }
}

}  // namespace

void RecurrentShape::validate() const {
  if (input.num_bits != 0) throw Error("recurrent network: its inputs have no bits");
  if (input.empty()) throw Error("recurrent network: it needs at least one input");
  for (int size : input.categories)
    if (size < 1) throw Error("recurrent network: a block of categories is empty");
  if (input.num_dense < 0) throw Error("recurrent network: a negative number of inputs");
  if (hidden < kPanel || hidden > kMostHidden || hidden % kPanel != 0)
    throw Error("recurrent network: hidden=" + std::to_string(hidden) +
                " must be a multiple of 16 from 16 to " + std::to_string(kMostHidden));
  if (outputs < 1 || outputs > 1'000'000) throw Error("recurrent network: it needs outputs");
}

RecurrentLayout::RecurrentLayout(RecurrentShape wanted) : shape(std::move(wanted)) {
  shape.validate();
  for (int size : shape.input.categories) {
    category_first.push_back(category_rows);
    category_rows += size;
  }
  const int h = shape.hidden;
  first = place(num_floats, category_rows + num_dense(), h);
  input = place(num_floats, h, 3 * h);
  state = place(num_floats, h, 3 * h);
  after = place(num_floats, h, h);
  head = place(num_floats, h, shape.outputs);
}

size_t RecurrentLayout::num_plain() const {
  size_t count = 0;
  for (const DenseLayer* layer : layers()) count += size_t(layer->in + 1) * layer->out;
  return count;
}

RecurrentNet::RecurrentNet(RecurrentShape shape)
    : layout_(std::make_shared<const RecurrentLayout>(std::move(shape))),
      parameters_(layout_->num_floats) {}

RecurrentNet RecurrentNet::random(RecurrentShape shape, double head_gain, RngKey key) {
  RecurrentNet net(std::move(shape));
  const RecurrentLayout& layout = net.layout();
  const int h = layout.shape.hidden;
  float* to = net.parameters_.data();
  // Of a block of categories one row is active: the units of the first layer start at size one.
  const double active = layout.num_blocks() + layout.num_dense();
  fill(layout.first, 0, h, std::sqrt(2.0 * std::max(layout.first.in, h) / active),
       key.fold("first"), to);
  for (int gate = 0; gate < 3; ++gate) {
    fill(layout.input, gate * h, h, 1, key.fold("input").fold(gate), to);
    fill(layout.state, gate * h, h, 1, key.fold("state").fold(gate), to);
  }
  // The memory starts out keeping three quarters of itself from step to step.
  std::fill_n(to + layout.input.bias + h, h, 1.0f);
  fill(layout.after, 0, h, std::sqrt(2.0), key.fold("after"), to);
  fill(layout.head, 0, layout.shape.outputs, head_gain, key.fold("head"), to);
  return net;
}

std::vector<float> RecurrentNet::plain() const {
  std::vector<float> values;
  values.reserve(layout_->num_plain());
  for_each_plain(*layout_, [&](size_t at) { values.push_back(parameters_[at]); });
  return values;
}

void RecurrentNet::set_plain(std::span<const float> values) {
  PENUMBRA_CHECK(values.size() == layout_->num_plain(), "one value per parameter");
  size_t next = 0;
  for_each_plain(*layout_, [&](size_t at) { parameters_[at] = values[next++]; });
}

bool RecurrentNet::finite() const {
  for (float value : parameters_) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

void RecurrentNet::write(ByteWriter& out) const {
  write_layout(out, shape().input);
  out.i32(shape().hidden);
  out.i32(shape().outputs);
  out.floats(plain());
}

RecurrentNet RecurrentNet::read(ByteReader& in) {
  RecurrentShape shape;
  shape.input = read_layout(in);
  shape.hidden = in.i32();
  shape.outputs = in.i32();
  shape.validate();
  const std::vector<float> values = in.floats();
  // Checked before memory is taken: a shape costs a few bytes, its parameters may cost gigabytes.
  const double h = shape.hidden;
  const double expected =
      (shape.input.width() + 1) * h + 2 * (h + 1) * 3 * h + (h + 1) * h + (h + 1) * shape.outputs;
  if (expected != double(values.size()))
    throw Error("saved network: its parameters do not fit its shape; save it again");
  RecurrentNet net(std::move(shape));
  net.set_plain(values);
  if (!net.finite()) throw Error("saved network: a parameter is not a number");
  return net;
}

}  // namespace penumbra::nn

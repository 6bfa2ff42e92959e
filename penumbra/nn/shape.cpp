#include "penumbra/nn/shape.h"

#include <algorithm>
#include <string>

#include "penumbra/base/error.h"

namespace penumbra::nn {
namespace {

constexpr int kMostUnits = 1 << 24;  // a width beyond this is a mistake or a corrupted file

void check_width(int width, const char* what) {
  if (width < 1 || width > kMostUnits) {
    throw Error(std::string("network shape: ") + what + " of " + std::to_string(width) +
                "; give a width between 1 and " + std::to_string(kMostUnits));
  }
}

}  // namespace

void MlpShape::validate() const {
  for (int size : input.categories) check_width(size, "a categorical block");
  if (input.num_bits < 0 || input.num_dense < 0 || input.num_bits > kMostUnits ||
      input.num_dense > kMostUnits) {
    throw Error("network shape: the number of bits or dense inputs is out of range");
  }
  if (input.empty()) throw Error("network shape: no inputs; the model must encode its states");
  for (int width : hidden) check_width(width, "a hidden layer");
  check_width(outputs, "an output layer");
}

std::span<const Preset> presets() {
  // The paper prints the last candidate with a layer of 256 feeding one of 128 inputs; we read it
  // as 512-256-128-64.
  static const std::vector<Preset> table = {
      {"paper-rock-sample", {128, 64, 64}, "the paper's choice for RockSample"},
      {"paper-continuous", {128, 64, 32}, "the paper's choice for Light-Dark and Lidar Roomba"},
      {"paper-small", {64, 64}, "candidate of the paper's appendix"},
      {"paper-medium", {128, 64, 32}, "candidate of the paper's appendix"},
      {"paper-flat", {128, 64, 64}, "candidate of the paper's appendix"},
      {"paper-large", {256, 128, 64}, "candidate of the paper's appendix"},
      {"paper-deep", {512, 256, 128, 64}, "candidate of the paper's appendix"},
      {"tiny", {32, 32}, "for tests and very small problems"},
      {"linear", {}, "a linear function of the features"},
  };
  return table;
}

const std::vector<int>& preset(std::string_view name) {
  std::string known;
  for (const Preset& p : presets()) {
    if (p.name == name) return p.hidden;
    known += (known.empty() ? "" : ", ") + std::string(p.name);
  }
  throw Error("no network preset '" + std::string(name) + "'; known are " + known);
}

void write_layout(ByteWriter& out, const FeatureLayout& layout) {
  out.ints(layout.categories);
  out.i32(layout.num_bits);
  out.i32(layout.num_dense);
}

FeatureLayout read_layout(ByteReader& in) {
  FeatureLayout layout;
  layout.categories = in.ints();
  layout.num_bits = in.i32();
  layout.num_dense = in.i32();
  // Counted in double: sizes that a file claims may overflow.
  double width = double(std::max(0, layout.num_bits)) + std::max(0, layout.num_dense);
  for (int size : layout.categories) width += std::max(0, size);
  constexpr double kMostInputs = 1 << 30;
  if (width > kMostInputs) throw Error("saved network: its inputs are too many to be true");
  return layout;
}

void write_shape(ByteWriter& out, const MlpShape& shape) {
  write_layout(out, shape.input);
  out.ints(shape.hidden);
  out.i32(shape.outputs);
}

MlpShape read_shape(ByteReader& in) {
  MlpShape shape;
  shape.input = read_layout(in);
  shape.hidden = in.ints();
  shape.outputs = in.i32();
  shape.validate();
  return shape;
}

}  // namespace penumbra::nn

// What a multilayer perceptron looks like: typed inputs, hidden ReLU layers, linear outputs.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "penumbra/base/features.h"
#include "penumbra/nn/bytes.h"

namespace penumbra::nn {

struct MlpShape {
  FeatureLayout input;
  std::vector<int> hidden;  // widths, first to last; empty: a linear function
  int outputs = 1;

  bool operator==(const MlpShape&) const = default;
  // Throws Error on empty inputs, widths below one and the like.
  void validate() const;
};

// Hidden widths by name: the architectures of the paper's appendix and a few of our own.
struct Preset {
  std::string_view name;
  std::vector<int> hidden;
  std::string_view help;
};

std::span<const Preset> presets();
// Throws Error listing the known names.
const std::vector<int>& preset(std::string_view name);

void write_shape(ByteWriter& out, const MlpShape& shape);
MlpShape read_shape(ByteReader& in);
void write_layout(ByteWriter& out, const FeatureLayout& layout);
FeatureLayout read_layout(ByteReader& in);

}  // namespace penumbra::nn

// What a program needs to draw a model, such as the player of `penumbra report`: what never
// changes, and which numbers of a state change. A belief is told by the same numbers.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace penumbra {

struct Scene {
  std::string kind;                 // which drawing it is: "rock-sample"
  std::vector<std::string> fields;  // of a state, in the order of scene_values()
  // The mean of every field tells a belief about things that are or are not; positions need a cloud
  // of particles, each with this many of the first fields.
  int cloud_fields = 0;
  // What never changes, by name: lengths, walls (x1, y1, x2, y2 each), cells (x, y each).
  std::vector<std::pair<std::string, std::vector<float>>> setting{};
};

}  // namespace penumbra

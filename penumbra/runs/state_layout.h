// States of a model laid out so that a function of the state can be drawn: along a line, over a
// plane with everything else fixed, or one by one. Nothing here knows a domain:
//   - a model with coordinates gives a grid over the first one or two of them, in the range that
//     walks meet; further coordinates are those of a few states met;
//   - otherwise a model with a scene gives the states that steps reach from one of b0, or one that
//     walks met, while all fields of the scene but the first two stay, over these two;
//   - otherwise there are single states, the most met ones first.
#pragma once

#include <string>
#include <vector>

#include "penumbra/model/pomdp.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

struct Axis {
  std::string name;
  double low = 0, step = 1;  // cell i is around low + (i + 0.5) * step
  int cells = 1;
};

// One picture: everything but the axes is fixed.
struct StateSlice {
  std::string label;            // what is fixed
  std::vector<float> fields{};  // of the state it was made from, where the model has a scene
  RecordBuffer states{};
  std::vector<int> cell{};  // of each state: column + row * axes[0].cells; several may share one
};

struct StateLayout {
  std::vector<Axis> axes{};  // one: a line; two: a plane; none: single states
  std::vector<StateSlice> slices{};
  std::vector<std::string> names{};  // of single states
};

// Half of the walks follow the controller, half take any action. Needs finite observations.
StateLayout lay_out_states(const Pomdp& model, const Fsc& fsc, uint64_t seed);

}  // namespace penumbra

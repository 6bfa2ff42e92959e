// Controllers for tiger whose values are known.
#pragma once

#include "domains/tiger.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

inline Fsc always(int action) {
  Fsc fsc{2, 0, {}, {}};
  fsc.add_node(action);
  return fsc;
}

// Listen until one side was heard two times more than the other, then open the other door.
inline Fsc tiger_controller() {
  Fsc fsc{2, 0, {}, {}};
  const int even = fsc.add_node(Tiger::kListen);
  const int left = fsc.add_node(Tiger::kListen), right = fsc.add_node(Tiger::kListen);
  const int open_right = fsc.add_node(Tiger::kOpenRight, even);
  const int open_left = fsc.add_node(Tiger::kOpenLeft, even);
  fsc.set_edge(even, 0, left);
  fsc.set_edge(even, 1, right);
  fsc.set_edge(left, 0, open_right);
  fsc.set_edge(left, 1, even);
  fsc.set_edge(right, 0, even);
  fsc.set_edge(right, 1, open_left);
  return fsc;
}

}  // namespace penumbra

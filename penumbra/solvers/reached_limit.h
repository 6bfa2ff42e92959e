// Which limit ends a solve.
#pragma once

#include <string>

#include "penumbra/base/memory.h"
#include "penumbra/solvers/solver.h"

namespace penumbra {

// Where a solve is.
struct Reached {
  double gap = 0;  // infinite: nothing to compare with yet
  uint64_t backups = 0;
  int nodes = 0;
  double seconds = 0;
};

// The status of a solution whose limit is reached; empty: it may go on. Of the memory, `over` times
// the limit may be used.
inline std::string reached_limit(const Limits& limits, const Reached& r, double over = 1) {
  if (limits.gap > 0 && r.gap <= limits.gap) return "gap";
  if (limits.cancelled && limits.cancelled()) return "cancelled";
  if (limits.backups > 0 && r.backups >= limits.backups) return "backups";
  if (limits.nodes > 0 && r.nodes >= limits.nodes) return "nodes";
  if (limits.seconds > 0 && r.seconds >= limits.seconds) return "time";
  if (limits.memory > 0 && static_cast<double>(resident_bytes()) >= over * limits.memory)
    return "memory";
  return "";
}

}  // namespace penumbra

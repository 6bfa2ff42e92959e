#include "cli/progress_line.h"

#include <fmt/format.h>

#include <algorithm>

namespace penumbra::cli {

const char* upper_words(UpperKind kind) {
  return kind == UpperKind::kProven    ? "upper bound"
         : kind == UpperKind::kSampled ? "upper 95 %"
                                       : "upper est.";
}

std::string progress_line(const SolveProgress& p) {
  if (p.lower_proven)
    return fmt::format(
        "{:8.1f} s  {:9} backups  {:6} vectors  lower bound {:.5f}  upper bound {:.5f}  "
        "gap {:.5f}  {:5.0f} MB",
        p.seconds, p.backups, p.nodes, p.lower, p.upper.value, p.upper.value - p.lower,
        p.memory / 1e6);
  return fmt::format(
      "{:8.1f} s  {:9} backups  {:6} nodes  value {:8.3f} +- {:.3f}  claimed {:.3f}  {} {:.3f}  "
      "{:5.1f} M steps/s  {:5.0f} M networks/s  {:5.0f} MB",
      p.seconds, p.backups, p.nodes, p.simulated.mean, (p.simulated.high - p.simulated.low) / 2,
      p.estimate, upper_words(p.upper.kind), p.upper.value,
      p.simulator_steps / 1e6 / std::max(p.seconds, 1e-9),
      p.network_evaluations / 1e6 / std::max(p.seconds, 1e-9), p.memory / 1e6);
}

}  // namespace penumbra::cli

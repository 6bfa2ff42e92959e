// Every knob of Neural Value Iteration. docs/solvers/nvi.md says what they do.
#pragma once

#include "penumbra/solvers/controller/options.h"
#include "penumbra/solvers/nvi/network_candidates.h"
#include "penumbra/solvers/nvi/paper_options.h"

namespace penumbra::nvi {

struct NviOptions {
  std::string preset = "default";  // or "paper": the algorithm as printed (as_printed.h)
  controller::RoundsOptions rounds{.pool_states = 64};
  NetworkCandidateOptions networks;
  PaperOptions paper;  // of preset "paper"

  void list(OptionList& l);
};

}  // namespace penumbra::nvi

// Every knob of Neural Value Iteration. docs/solvers/nvi.md says what they do.
#pragma once

#include "penumbra/solvers/anchors/plan.h"
#include "penumbra/solvers/cells/plan.h"
#include "penumbra/solvers/controller/options.h"
#include "penumbra/solvers/habits/plan.h"
#include "penumbra/solvers/nvi/head_plan.h"
#include "penumbra/solvers/nvi/network_candidates.h"
#include "penumbra/solvers/nvi/paper_options.h"

namespace penumbra::nvi {

struct NviOptions {
  // Or "paper": the algorithm as printed (as_printed.h); "paper-mended": with what it needs.
  std::string preset = "default";
  controller::RoundsOptions rounds{.pool_states = 64};
  bool networks = true;        // alpha functions; false: rounds of simulation alone
  std::string start = "auto";  // the first controller: auto, blind, gated, anchors, habits, cells
  HeadPlanOptions heads;
  anchors::PlanOptions anchors;
  habits::PlanOptions habits;
  cells::PlanOptions cells;
  NetworkCandidateOptions candidates;
  PaperOptions paper;  // of the other presets

  void list(OptionList& l);
};

}  // namespace penumbra::nvi

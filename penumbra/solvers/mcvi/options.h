// Every knob of Monte Carlo Value Iteration.
#pragma once

#include "penumbra/solvers/cells/plan.h"
#include "penumbra/solvers/controller/options.h"
#include "penumbra/solvers/mcvi/continuous_run.h"
#include "penumbra/solvers/mcvi/mc_backup.h"
#include "penumbra/solvers/mcvi/race.h"

namespace penumbra::mcvi {

struct McviOptions {
  std::string preset = "default";
  // finite: as nvi; continuous: without clusters, by likelihoods (continuous_run.h)
  std::string observations = "finite";
  std::string start = "blind";  // the first controller: blind policies, or a plan on cells
  cells::PlanOptions cells;
  controller::RoundsOptions rounds{.backup = {.training_states = 64}};
  RaceOptions race;
  PaperOptions paper;            // of preset "paper"
  ContinuousOptions continuous;  // of observations "continuous"

  void list(OptionList& l);
};

}  // namespace penumbra::mcvi

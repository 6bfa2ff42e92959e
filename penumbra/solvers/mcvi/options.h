// Every knob of Monte Carlo Value Iteration.
#pragma once

#include "penumbra/solvers/mcvi/mc_backup.h"
#include "penumbra/solvers/mcvi/race.h"
#include "penumbra/solvers/nvi/options.h"

namespace penumbra::mcvi {

struct McviOptions {
  std::string preset = "default";
  nvi::NviOptions rounds;  // what is shared with nvi
  RaceOptions race;
  PaperOptions paper;  // of preset "paper"

  void list(OptionList& l);
};

}  // namespace penumbra::mcvi

// Options of solvers that improve several controllers at once (islands.h).
#pragma once

#include "penumbra/base/options.h"

namespace penumbra {

struct IslandOptions {
  int count = 1;       // controllers that improve apart
  int exchange = 500;  // backups of each from one exchange to the next, at least

  void list(OptionList& l);
};

}  // namespace penumbra

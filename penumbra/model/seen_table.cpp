#include "penumbra/model/seen_table.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"

namespace penumbra {

Tabular seen_table(const Pomdp& model) {
  Tabular table = model.table();
  const int shown = model.facts().num_observations;
  if (shown == table.num_observations) {
    table.visible.clear();
    table.num_visible = 1;
    table.variables.clear();
  } else if (shown != num_seen(table)) {
    throw Error(fmt::format("{} shows {} observations; its table has {}", model.facts().name, shown,
                            num_seen(table)));
  }
  return table;
}

}  // namespace penumbra

#include "penumbra/model/seen_table.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/model/tabular_pomdp.h"

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

SeenTable::SeenTable(const Pomdp& model) {
  const auto* explicit_model = dynamic_cast<const TabularPomdp*>(&model);  // shows all it has
  if (!explicit_model) own_ = seen_table(model);
  table_ = own_ ? &*own_ : &explicit_model->tabular();
}

std::shared_ptr<const MixedModel> mixed_model(const Pomdp& model) {
  const SeenTable table(model);
  check_tabular(*table, 1e-6);
  return std::make_shared<const MixedModel>(*table);
}

}  // namespace penumbra

#include "penumbra/bounds/informed_value.h"

#include <algorithm>

#include "penumbra/bounds/explicit_bounds.h"
#include "penumbra/bounds/table_mdp_value.h"

namespace penumbra {

InformedValue::InformedValue(const Pomdp& model, int max_states, const Stop& stop) : model_(model) {
  const Tabular table = checked_table(model, max_states, source());
  const MixedModel mixed(table);
  const PartActionValues informed = fast_informed_bound(mixed, 1e-5, stop);
  const int actions = mixed.num_actions();
  // States that b0 does not lead to: the best reward for ever.
  const double most = std::max(0.0, mixed.max_reward()) / (1 - mixed.discount());
  values_.assign(size_t(mixed.num_states()) * actions, most);
  for (int s = 0; s < mixed.num_states(); ++s)
    if (!table.terminal.empty() && table.terminal[s])
      std::fill_n(values_.begin() + long(s) * actions, actions, 0.0);
  for (int p = 0; p < mixed.num_parts(); ++p)
    for (int i = 0; i < mixed.size(p); ++i)
      for (int a = 0; a < actions; ++a)
        values_[size_t(mixed.states(p)[i]) * actions + a] = informed[p][a][i];
}

void InformedValue::vectors(ConstRecords state, std::span<double> out) const {
  const size_t actions = num_vectors();
  std::vector<int> index(state.count);
  model_.state_index(state, index);
  for (size_t i = 0; i < state.count; ++i)
    std::copy_n(values_.data() + index[i] * actions, actions, out.data() + i * actions);
}

void InformedValue::value(ConstRecords state, std::span<double> out) const {
  const size_t actions = num_vectors();
  std::vector<double> all(state.count * actions);
  vectors(state, all);
  for (size_t i = 0; i < state.count; ++i)
    out[i] = *std::max_element(all.data() + i * actions, all.data() + (i + 1) * actions);
}

}  // namespace penumbra

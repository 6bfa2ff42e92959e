#include "penumbra/bounds/mdp_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "penumbra/base/error.h"
#include "penumbra/bounds/domain_mdp_value.h"
#include "penumbra/bounds/fitted_mdp_value.h"
#include "penumbra/bounds/informed_value.h"
#include "penumbra/bounds/table_mdp_value.h"

namespace penumbra {

std::unique_ptr<MdpValue> make_mdp_value(const Pomdp& model, const MdpValueOptions& options,
                                         RngKey key, ThreadPool& pool, const Stop& stop) {
  const std::string& source = options.source;
  if (source == "domain" || (source == "auto" && model.has(Capability::kMdpValue)))
    return std::make_unique<DomainMdpValue>(model);
  if (source == "table")
    return std::make_unique<TableMdpValue>(model, options.table_states, pool, stop);
  if (source == "fib") return std::make_unique<InformedValue>(model, options.table_states, stop);
  if (source == "auto" && model.has(Capability::kTable)) {
    Tabular table = model.table();
    if (table.num_states <= options.table_states)
      return std::make_unique<TableMdpValue>(model, table, pool, stop);
  }
  if (source == "auto" || source == "fitted") return fit_mdp_value(model, options, key, pool, stop);
  throw Error(fmt::format("there is no mdp source '{}'; there are auto, domain, table, fitted, fib",
                          source));
}

void mdp_q_values(const Pomdp& model, const MdpValue& values, ConstRecords states, RngKey key,
                  std::span<double> q, std::span<char> unchanged) {
  const size_t count = states.count, size = states.size;
  const int num_actions = model.facts().num_actions;
  PENUMBRA_CHECK(num_actions > 0 && q.size() == count * num_actions &&
                     unchanged.size() == static_cast<size_t>(num_actions),
                 "mdp_q_values needs finite actions, a q per state and action, a flag per action");
  const double discount = model.facts().discount;
  StepBuffers buffers(model, count);
  const StepResults out = buffers.results(count);
  std::vector<int> action(count);
  std::vector<double> here, there(count);  // V(s), filled in when first needed; V(s')
  std::vector<size_t> moved;
  moved.reserve(count);
  for (int a = 0; a < num_actions; ++a) {
    std::fill(action.begin(), action.end(), a);
    model.step(states, action, {key}, out);
    // States that moved are gathered at the front, so that each is valued once.
    moved.clear();
    bool same = true;
    size_t stayed = 0;
    for (size_t i = 0; i < count; ++i) {
      const bool stays = std::memcmp(out.next.at(i), states.at(i), size) == 0;
      same = same && stays;
      stayed += stays && !out.ended[i];
      if (stays || out.ended[i]) continue;
      if (moved.size() != i) std::memcpy(out.next.at(moved.size()), out.next.at(i), size);
      moved.push_back(i);
    }
    unchanged[a] = same;
    if (stayed > 0 && here.empty()) {
      here.resize(count);
      values.value(states, here);
    }
    values.value(out.next.sub(0, moved.size()), {there.data(), moved.size()});
    size_t next_moved = 0;
    for (size_t i = 0; i < count; ++i) {
      double v = 0;
      if (next_moved < moved.size() && moved[next_moved] == i)
        v = there[next_moved++];
      else if (!out.ended[i])
        v = here[i];
      q[i * num_actions + a] = out.reward[i] + discount * v;
    }
  }
}

}  // namespace penumbra

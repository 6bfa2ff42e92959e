#include "penumbra/model/action_table.h"

#include "penumbra/base/error.h"

namespace penumbra {

ActionTable::ActionTable(std::unique_ptr<Pomdp> inner_model, RecordBuffer actions,
                         std::vector<std::string> names)
    : Decorated(std::move(inner_model)), actions_(std::move(actions)) {
  set_actions(static_cast<int>(actions_.count()), std::move(names));
}

ActionTable::ActionTable(const Pomdp& inner_model, RecordBuffer actions, int num_actions,
                         std::vector<std::string> names)
    : Decorated(inner_model), actions_(std::move(actions)) {
  set_actions(num_actions, std::move(names));
}

void ActionTable::set_actions(int num_actions, std::vector<std::string> names) {
  Facts facts = inner().facts();
  if (facts.num_actions > 0)
    throw Error(facts.name +
                " has a finite set of actions already; an action table is for "
                "continuous ones");
  if (actions_.empty() || actions_.record_size() != inner().action_size())
    throw Error(facts.name + ": the action table is empty or its records have the wrong size");
  facts.num_actions = num_actions;
  facts.action_names = std::move(names);
  set_facts(std::move(facts), inner().capabilities(), inner().state_size(), inner().seen_size(),
            sizeof(int));
}

const std::byte* ActionTable::entry(const std::byte* action) const {
  int index;
  std::memcpy(&index, action, sizeof index);
  return actions_.at(index);
}

void ActionTable::step(ConstRecords state, ConstRecords action, Streams streams,
                       const StepResults& out) const {
  const size_t block = std::min(inner().lanes_per_call(), state.count);
  const size_t size = actions_.record_size();
  std::vector<std::byte> chosen(block * size);
  for (size_t begin = 0; begin < state.count; begin += block) {
    const size_t n = std::min(block, state.count - begin);
    for (size_t i = 0; i < n; ++i)
      std::memcpy(chosen.data() + i * size, entry(action.at(begin + i)), size);
    inner().step(state.sub(begin, n), ConstRecords{chosen.data(), size, n}, streams.from(begin),
                 out.sub(begin, n));
  }
}

void ActionTable::likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                             std::span<double> out) const {
  inner().likelihood(seen, entry(action), next, out);
}

void ActionTable::cumulative(float bound, int coordinate, const std::byte* action,
                             ConstRecords next, std::span<double> out) const {
  inner().cumulative(bound, coordinate, entry(action), next, out);
}

std::unique_ptr<Pomdp> action_table(std::unique_ptr<Pomdp> inner, RecordBuffer actions,
                                    std::vector<std::string> names) {
  return std::make_unique<ActionTable>(std::move(inner), std::move(actions), std::move(names));
}

}  // namespace penumbra

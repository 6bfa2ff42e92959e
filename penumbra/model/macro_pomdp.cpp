#include "penumbra/model/macro_pomdp.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

// Steps until less than `negligible` of the discount is left.
int most_steps(const std::vector<MacroAction>& macros, double discount, double negligible) {
  const int cap =
      discount > 0 ? 1 + static_cast<int>(std::log(negligible) / std::log(discount)) : 1;
  int longest = 1;
  for (const MacroAction& macro : macros) {
    const int steps = longest_play(macro);
    longest = std::max(longest, steps == 0 ? cap : steps);
  }
  return std::min(longest, cap);
}

}  // namespace

MacroPomdp::MacroPomdp(std::unique_ptr<Pomdp> inner_model, std::vector<MacroAction> macros)
    : Decorated(std::move(inner_model)), macros_(std::move(macros)) {
  require(inner(), Capability::kFiniteActions | Capability::kFiniteObservations, "macro-actions");
  Facts facts = inner().facts();
  if (macros_.empty()) throw Error(facts.name + " has no macro-actions to play");
  bool open_loop = true;
  facts.action_names.clear();
  for (const MacroAction& macro : macros_) {
    check_macro_action(macro, inner().facts());
    open_loop &= macro.open_loop();
    facts.action_names.push_back(macro.name);
  }
  const int steps = most_steps(macros_, facts.discount, kNegligible);
  double weight = 1, total = 0;
  for (int k = 0; k < steps; ++k, weight *= facts.discount) {
    survival_.push_back(weight);
    total += weight;
  }
  facts.name += " with macro-actions";
  facts.num_actions = static_cast<int>(macros_.size());
  facts.max_reward *= facts.max_reward > 0 ? total : 1;
  facts.min_reward *= facts.min_reward < 0 ? total : 1;
  Capabilities can = inner().capabilities().without(
      Capabilities(Capability::kTable) | Capability::kCumulative | Capability::kCoordinates);
  if (!open_loop) can = can.without(Capability::kLikelihood);
  // Behind the inner state, so that it keeps its alignment.
  const size_t size = inner().state_size() + (inner().state_size() % 8 == 0 ? 8 : 4);
  set_facts(std::move(facts), can, size, inner().seen_size(), sizeof(int));
}

bool MacroPomdp::gone(const std::byte* state) const {
  return state[inner().state_size()] != std::byte{0};
}

void MacroPomdp::set_gone(std::byte* state, bool gone) const {
  std::memset(state + inner().state_size(), 0, state_size() - inner().state_size());
  state[inner().state_size()] = std::byte{gone};
}

RecordBuffer MacroPomdp::inner_states(ConstRecords state) const {
  RecordBuffer out(inner().state_size(), state.count);
  for (size_t i = 0; i < state.count; ++i) out.copy_from(i, state.at(i));
  return out;
}

void MacroPomdp::wrap(ConstRecords inner_state, Records out) const {
  for (size_t i = 0; i < inner_state.count; ++i) {
    std::memcpy(out.at(i), inner_state.at(i), inner_state.size);
    set_gone(out.at(i), false);
  }
}

void MacroPomdp::sample_initial(Streams streams, Records out) const {
  RecordBuffer state(inner().state_size(), out.count);
  inner().sample_initial(streams, state);
  wrap(state, out);
}

void MacroPomdp::is_terminal(ConstRecords state, std::span<uint8_t> out) const {
  inner().is_terminal(inner_states(state), out);
  for (size_t i = 0; i < state.count; ++i) out[i] |= uint8_t{gone(state.at(i))};
}

void MacroPomdp::step(ConstRecords state, ConstRecords action, Streams streams,
                      const StepResults& out) const {
  const size_t block = lanes_per_call();
  for (size_t begin = 0; begin < state.count; begin += block) {
    const size_t n = std::min(block, state.count - begin);
    step_block(state.sub(begin, n), action.sub(begin, n), streams.from(begin), out.sub(begin, n));
  }
}

void MacroPomdp::step_block(ConstRecords state, ConstRecords action, Streams streams,
                            const StepResults& out) const {
  const size_t size = inner().state_size(), seen_size = inner().seen_size();
  RecordBuffer current(size, state.count);
  StepBuffers buffers(inner(), state.count);
  std::vector<int> act(state.count), lane, node, macro;
  std::vector<uint64_t> id;
  for (size_t i = 0; i < state.count; ++i) {
    out.reward[i] = 0;
    if (gone(state.at(i))) {
      std::memmove(out.next.at(i), state.at(i), state_size());
      std::memset(out.seen.at(i), 0, seen_size);
      out.ended[i] = 1;
      continue;
    }
    current.copy_from(lane.size(), state.at(i));
    lane.push_back(static_cast<int>(i));
    node.push_back(0);
    macro.push_back(action.as<int>(i));
    id.push_back(streams.id(i));
  }
  double weight = 1;
  for (size_t t = 0; t < survival_.size() && !lane.empty(); ++t) {
    const size_t live = lane.size();
    for (size_t j = 0; j < live; ++j) act[j] = macros_[macro[j]].action[node[j]];
    const StepResults results = buffers.results(live);
    // The first step draws what a step of the inner model would.
    const RngKey key = t == 0 ? streams.key : streams.key.fold("macro").fold(t);
    inner().step(current.sub(0, live), std::span<const int>(act.data(), live), {key, 0, id.data()},
                 results);
    size_t kept = 0;
    for (size_t j = 0; j < live; ++j) {
      const size_t i = lane[j];
      out.reward[i] += static_cast<float>(weight * results.reward[j]);
      const int next = macros_[macro[j]].next(node[j], index_of(results.seen, j));
      if (!results.ended[j] && next != MacroAction::kEnds && t + 1 < survival_.size()) {
        current.copy_from(kept, results.next.at(j));
        node[kept] = next;
        lane[kept] = lane[j];
        macro[kept] = macro[j];
        id[kept] = id[j];
        ++kept;
        continue;
      }
      const bool cut = next != MacroAction::kEnds;
      const bool survives =
          !cut && (t == 0 || Rng(streams.key.fold("macro end"), id[j]).uniform() < survival_[t]);
      std::memcpy(out.next.at(i), results.next.at(j), size);
      std::memcpy(out.seen.at(i), results.seen.at(j), seen_size);
      set_gone(out.next.at(i), !results.ended[j] && !survives);
      out.ended[i] = results.ended[j] || !survives;
    }
    lane.resize(kept);
    node.resize(kept);
    macro.resize(kept);
    id.resize(kept);
    weight *= facts().discount;
  }
}

void MacroPomdp::encode(ConstRecords state, FeatureBatch& out, int first_row) const {
  inner().encode(inner_states(state), out, first_row);
}

void MacroPomdp::likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                            std::span<double> out) const {
  if (!has(Capability::kLikelihood)) lacks(Capability::kLikelihood);
  int number;
  std::memcpy(&number, action, sizeof number);
  // Without a look at what is seen there is one last action.
  const MacroAction& macro = macros_[number];
  int node = 0;
  while (macro.next(node, 0) != MacroAction::kEnds) node = macro.next(node, 0);
  inner().likelihood(seen, reinterpret_cast<const std::byte*>(&macro.action[node]),
                     inner_states(next), out);
}

void MacroPomdp::mdp_value(ConstRecords state, std::span<double> out) const {
  inner().mdp_value(inner_states(state), out);
  for (size_t i = 0; i < state.count; ++i)
    if (gone(state.at(i))) out[i] = 0;
}

void MacroPomdp::perturb(ConstRecords state, Streams streams, Records out) const {
  RecordBuffer inner_state = inner_states(state);
  inner().perturb(inner_state, streams, inner_state);
  for (size_t i = 0; i < state.count; ++i) {
    const bool was_gone = gone(state.at(i));
    std::memcpy(out.at(i), inner_state.at(i), inner().state_size());
    set_gone(out.at(i), was_gone);
  }
}

void MacroPomdp::scene_values(ConstRecords state, std::span<float> out) const {
  inner().scene_values(inner_states(state), out);
}

std::string MacroPomdp::describe_state(const std::byte* state) const {
  return inner().describe_state(state) + (gone(state) ? " (ended by the discount)" : "");
}

std::unique_ptr<Pomdp> macro_pomdp(std::unique_ptr<Pomdp> inner, std::vector<MacroAction> macros) {
  return std::make_unique<MacroPomdp>(std::move(inner), std::move(macros));
}

}  // namespace penumbra

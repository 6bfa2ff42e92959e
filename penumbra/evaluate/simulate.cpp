#include "penumbra/evaluate/simulate.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/model/unsound.h"

namespace penumbra {
namespace {

// The state of a batch of episodes; those that have ended are squeezed out.
struct Lockstep {
  RecordBuffer state, memory, action;
  std::vector<uint64_t> episode;
  std::vector<double> total, sum;  // of rewards, discounted and not
  size_t live = 0;

  Lockstep(const Pomdp& model, const Policy& policy, size_t n)
      : state(model.state_size(), n),
        memory(policy.memory_size(), n),
        action(model.action_size(), n),
        episode(n),
        total(n, 0.0),
        sum(n, 0.0),
        live(n) {}

  Records memory_view() { return {memory.view().data, memory.record_size(), live}; }
};

}  // namespace

EpisodeTotals simulate(const Pomdp& model, const Policy& policy, const EpisodeBatch& batch,
                       std::span<double> returns, std::span<double> undiscounted) {
  policy.check_model(model);
  PENUMBRA_CHECK(returns.size() == batch.count, "one return per episode");
  PENUMBRA_CHECK(undiscounted.empty() || undiscounted.size() == batch.count, "one sum per episode");
  Lockstep l(model, policy, batch.count);
  StepBuffers buffers(model, batch.count);
  std::vector<uint8_t> ended(batch.count);
  for (size_t i = 0; i < batch.count; ++i) l.episode[i] = batch.first + i;
  model.sample_initial({batch.key.fold("initial"), batch.first}, l.state);
  policy.start({batch.key.fold("policy start"), batch.first}, l.memory_view());
  model.is_terminal(l.state, ended);

  EpisodeTotals totals;
  auto write = [&](size_t i) {
    returns[l.episode[i] - batch.first] = l.total[i];
    if (!undiscounted.empty()) undiscounted[l.episode[i] - batch.first] = l.sum[i];
  };
  // Keeps the lanes that go on; `from` is where their state is now.
  auto squeeze = [&](ConstRecords from) {
    const size_t state_size = model.state_size(), memory_size = policy.memory_size();
    size_t kept = 0;
    for (size_t i = 0; i < l.live; ++i) {
      if (ended[i]) {
        write(i);
        continue;
      }
      if (kept != i || from.data != l.state.view().data)
        std::memcpy(l.state.at(kept), from.at(i), state_size);
      if (kept != i) {
        if (memory_size) std::memcpy(l.memory.at(kept), l.memory.at(i), memory_size);
        l.episode[kept] = l.episode[i];
        l.total[kept] = l.total[i];
        l.sum[kept] = l.sum[i];
      }
      ++kept;
    }
    l.live = kept;
  };
  squeeze(l.state);

  const RngKey step_key = batch.key.fold("step"), act_key = batch.key.fold("policy act"),
               observe_key = batch.key.fold("policy observe");
  double weight = 1;
  for (int t = 0; t < batch.max_steps && l.live > 0; ++t) {
    const size_t n = l.live;
    const uint64_t* ids = l.episode.data();
    const StepResults out = buffers.results(n);
    const Records action = l.action.sub(0, n);
    policy.act(l.memory_view(), {act_key.fold(t), 0, ids}, action);
    model.step(l.state.sub(0, n), ConstRecords(action), {step_key.fold(t), 0, ids}, out);
    policy.observe(l.memory_view(), action, out.seen, {observe_key.fold(t), 0, ids});
    bool any_ended = false;
    for (size_t i = 0; i < n; ++i) {
      if (!std::isfinite(out.reward[i])) [[unlikely]]
        throw_bad_reward(model, out.reward[i], action.at(i), l.state.at(i));
      l.total[i] += weight * out.reward[i];
      l.sum[i] += out.reward[i];
      any_ended |= out.ended[i] != 0;
    }
    totals.steps += n;
    weight *= model.facts().discount;
    if (any_ended) {
      std::copy_n(out.ended.begin(), n, ended.begin());
      squeeze(out.next);
    } else {
      std::memcpy(l.state.view().data, out.next.data, n * model.state_size());
    }
  }
  totals.truncated = l.live;
  for (size_t i = 0; i < l.live; ++i) write(i);
  return totals;
}

std::vector<TraceStep> trace(const Pomdp& model, const Policy& policy, RngKey key, uint64_t episode,
                             int max_steps) {
  policy.check_model(model);
  Lockstep l(model, policy, 1);
  StepBuffers buffers(model, 1);
  std::vector<uint8_t> ended(1);
  model.sample_initial({key.fold("initial"), episode}, l.state);
  policy.start({key.fold("policy start"), episode}, l.memory_view());
  model.is_terminal(l.state, ended);
  std::vector<TraceStep> steps;
  auto bytes = [](ConstRecords r) { return std::vector<std::byte>(r.data, r.data + r.size); };
  for (int t = 0; t < max_steps && !ended[0]; ++t) {
    const StepResults out = buffers.results(1);
    policy.act(l.memory_view(), {key.fold("policy act").fold(t), episode}, l.action);
    model.step(l.state, ConstRecords(l.action), {key.fold("step").fold(t), episode}, out);
    policy.observe(l.memory_view(), l.action, out.seen,
                   {key.fold("policy observe").fold(t), episode});
    steps.push_back({bytes(l.state), bytes(l.action), bytes(out.seen), bytes(out.next),
                     out.reward[0], out.ended[0] != 0});
    l.state.copy_from(0, out.next.data);
    ended[0] = out.ended[0];
  }
  return steps;
}

}  // namespace penumbra

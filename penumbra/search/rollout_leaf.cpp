#include "penumbra/search/rollout_leaf.h"

#include <fmt/format.h>

#include <cstring>

#include "penumbra/search/any_action.h"

namespace penumbra::search {
namespace {

constexpr size_t kBlindStates = 128;  // from b0, and as many a random walk away
constexpr int kBlindWalk = 16;        // steps of the longest
constexpr int kBlindActions = 64;     // tried out in a box

// Returns of choosing by `choose(t, lane's stream id, action)` from every state, in lockstep; lanes
// that have ended are squeezed out. `choose` is asked anew in every step, or once.
template <class Choose>
void roll_out(const Pomdp& model, ConstRecords state, Streams streams, int steps, bool anew,
              LeafMemory& memory, std::span<double> out, const Choose& choose) {
  memory.reserve(state.count);
  const size_t size = model.state_size(), action_size = model.action_size();
  const double discount = model.facts().discount;
  RecordBuffer& current = memory.buffers.next;
  std::memcpy(current.view().data, state.data, state.count * size);
  size_t live = state.count;
  for (size_t i = 0; i < live; ++i) {
    memory.id[i] = streams.id(i);
    memory.lane[i] = static_cast<int>(i);
    out[i] = 0;
  }
  double weight = 1;
  for (int t = 0; t < steps && live > 0; ++t) {
    const RngKey key = streams.key.fold(t);
    if (anew || t == 0)
      for (size_t i = 0; i < live; ++i) choose(key, memory.id[i], memory.action.at(i));
    const StepResults results = memory.buffers.results(live);
    model.step(results.next, memory.action.sub(0, live), {key, 0, memory.id.data()}, results);
    memory.steps += live;
    size_t kept = 0;
    for (size_t i = 0; i < live; ++i) {
      out[memory.lane[i]] += weight * results.reward[i];
      if (results.ended[i]) continue;
      if (kept < i) {
        std::memcpy(current.at(kept), current.at(i), size);
        if (!anew) std::memcpy(memory.action.at(kept), memory.action.at(i), action_size);
        memory.id[kept] = memory.id[i];
        memory.lane[kept] = memory.lane[i];
      }
      ++kept;
    }
    live = kept;
    weight *= discount;
  }
}

class RolloutLeaf final : public Leaf {
 public:
  RolloutLeaf(const Pomdp& model, int steps) : model_(model), steps_(steps) {}
  std::string describe() const override { return fmt::format("{} random actions", steps_); }
  void value(ConstRecords state, std::span<const int>, Streams streams, LeafMemory& memory,
             std::span<double> out) const override {
    const Facts& facts = model_.facts();
    if (const auto n = static_cast<uint64_t>(facts.num_actions); n > 0) {
      // Nothing but a hash of the stream: a generator per lane and step would take most of the
      // time.
      roll_out(model_, state, streams, steps_, true, memory, out,
               [n](RngKey key, uint64_t id, std::byte* action) {
                 const auto a = static_cast<int32_t>(((key.fold(id).value >> 32) * n) >> 32);
                 std::memcpy(action, &a, sizeof a);
               });
    } else {
      roll_out(model_, state, streams, steps_, true, memory, out,
               [&facts](RngKey key, uint64_t id, std::byte* action) {
                 Rng rng(key.fold("action"), id);
                 random_action(facts, rng, action);
               });
    }
  }

 private:
  const Pomdp& model_;
  int steps_;
};

class BlindLeaf final : public Leaf {
 public:
  BlindLeaf(const Pomdp& model, int steps, RngKey key)
      : model_(model), steps_(steps), action_(model.action_size()) {
    const Facts& facts = model.facts();
    const RecordBuffer states = states_around_start(key);
    LeafMemory memory(model);
    std::vector<double> returns(states.count());
    std::vector<std::byte> tried(model.action_size());
    const int num_actions = facts.num_actions > 0 ? facts.num_actions : kBlindActions;
    double best = 0;
    for (int a = 0; a < num_actions; ++a) {
      Rng rng(key.fold("actions"), a);
      if (facts.num_actions > 0)
        std::memcpy(tried.data(), &a, sizeof a);
      else if (a > 0)
        random_action(facts, rng, tried.data());
      else
        plain_action(facts, tried.data());
      run(tried, states, {key.fold("returns")}, memory, returns);
      double sum = 0;
      for (double value : returns) sum += value;
      if (a > 0 && sum <= best) continue;
      best = sum;
      action_ = tried;
    }
  }
  std::string describe() const override {
    return fmt::format("{} times {}", steps_, model_.describe_action(action_.data()));
  }
  void value(ConstRecords state, std::span<const int>, Streams streams, LeafMemory& memory,
             std::span<double> out) const override {
    run(action_, state, streams, memory, out);
  }
  bool default_action(int, std::byte* action) const override {
    std::memcpy(action, action_.data(), action_.size());
    return true;
  }

 private:
  RecordBuffer states_around_start(RngKey key) const {
    RecordBuffer states(model_.state_size(), 2 * kBlindStates);
    model_.sample_initial({key.fold("start")}, states);
    StepBuffers steps(model_, kBlindStates);
    RecordBuffer actions(model_.action_size(), kBlindStates);
    const StepResults results = steps.results(kBlindStates);
    for (int t = 0; t < kBlindWalk; ++t) {
      for (size_t i = 0; i < kBlindStates; ++i) {
        Rng rng(key.fold("walk action").fold(t), i);
        random_action(model_.facts(), rng, actions.at(i));
      }
      model_.step(states.sub(kBlindStates, kBlindStates), actions, {key.fold("walk").fold(t)},
                  results);
      for (size_t i = 0; i < kBlindStates; ++i)
        if (!results.ended[i] && t < static_cast<int>(i) % kBlindWalk)
          states.copy_from(kBlindStates + i, results.next.at(i));
    }
    return states;
  }
  void run(const std::vector<std::byte>& action, ConstRecords state, Streams streams,
           LeafMemory& memory, std::span<double> out) const {
    roll_out(model_, state, streams, steps_, false, memory, out,
             [&action](RngKey, uint64_t, std::byte* to) {
               std::memcpy(to, action.data(), action.size());
             });
  }

  const Pomdp& model_;
  int steps_;
  std::vector<std::byte> action_;
};

}  // namespace

std::shared_ptr<const Leaf> make_rollout_leaf(const Pomdp& model, int steps) {
  return std::make_shared<RolloutLeaf>(model, steps);
}

std::shared_ptr<const Leaf> make_blind_leaf(const Pomdp& model, int steps, RngKey key) {
  return std::make_shared<BlindLeaf>(model, steps, key);
}

}  // namespace penumbra::search

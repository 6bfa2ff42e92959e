#include "penumbra/search/leaf.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "penumbra/base/error.h"

namespace penumbra::search {
namespace {

constexpr double kRolloutTail = 0.05;  // discount^steps of a rollout
constexpr int kMaxRolloutSteps = 400;
constexpr size_t kBlindStates = 128;  // from b0, and as many a random walk away
constexpr int kBlindWalk = 16;        // steps of the longest
constexpr int kBlindActions = 64;     // tried out in a box

int rollout_steps(const Facts& facts, int steps) {
  if (steps > 0) return steps;
  if (facts.discount == 0) return 1;
  return std::min<int>(kMaxRolloutSteps,
                       std::ceil(std::log(kRolloutTail) / std::log(facts.discount)));
}

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

class ZeroLeaf final : public Leaf {
 public:
  std::string describe() const override { return "0"; }
  void value(ConstRecords, std::span<const int>, Streams, LeafMemory&,
             std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
  }
};

class MdpLeaf final : public Leaf {
 public:
  explicit MdpLeaf(std::shared_ptr<const MdpValue> values) : values_(std::move(values)) {}
  std::string describe() const override { return "V_mdp (" + values_->source() + ")"; }
  void value(ConstRecords state, std::span<const int>, Streams, LeafMemory&,
             std::span<double> out) const override {
    values_->value(state, out);
  }
  bool optimistic() const override { return true; }

 private:
  std::shared_ptr<const MdpValue> values_;
};

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

class ControllerLeaf final : public Leaf {
 public:
  ControllerLeaf(const Pomdp& model, Fsc fsc, int steps)
      : model_(model), fsc_(std::move(fsc)), steps_(steps) {
    require(model, Capability::kFiniteActions | Capability::kFiniteObservations,
            "a controller that goes along");
    check_fsc(fsc_, model.facts());
  }
  std::string describe() const override {
    return fmt::format("a controller of {} nodes", fsc_.num_nodes());
  }
  void value(ConstRecords state, std::span<const int> node, Streams streams, LeafMemory& memory,
             std::span<double> out) const override {
    memory.reserve(state.count);
    if (!memory.rollouts) memory.rollouts.emplace(model_, steps_);
    for (size_t i = 0; i < state.count; ++i) memory.id[i] = streams.id(i);
    const uint64_t before = memory.rollouts->steps();
    const std::span<float> returns(memory.returns.data(), state.count);
    memory.rollouts->run(fsc_, state, node, {memory.id.data(), state.count}, streams.key, returns);
    memory.steps += memory.rollouts->steps() - before;
    std::copy(returns.begin(), returns.end(), out.begin());
  }
  int start_node() const override { return fsc_.start; }
  int next_node(int node, const std::byte* action, const std::byte* seen) const override {
    int32_t taken, o;
    std::memcpy(&taken, action, sizeof taken);
    std::memcpy(&o, seen, sizeof o);
    return taken == fsc_.action[node] ? fsc_.next(node, o) : node;
  }
  bool default_action(int node, std::byte* action) const override {
    const int32_t a = fsc_.action[node < 0 ? fsc_.start : node];
    std::memcpy(action, &a, sizeof a);
    return true;
  }

 private:
  const Pomdp& model_;
  Fsc fsc_;
  int steps_;
};

}  // namespace

LeafMemory::LeafMemory(const Pomdp& model) : buffers(model, 0), action(model.action_size()) {}

void LeafMemory::reserve(size_t lanes) {
  if (id.size() >= lanes) return;
  buffers.results(lanes);
  action.resize(lanes);
  id.resize(lanes);
  lane.resize(lanes);
  returns.resize(lanes);
}

LeafOptions read_leaf_options(Params& params) {
  LeafOptions options;
  options.kind = params.word("leaf", {"rollout", "mdp", "blind", "zero"},
                             "what a state at a new belief is worth: random actions, V_mdp, the "
                             "best action again and again, or 0");
  options.steps = params.integer("rollout_steps", 0, 0, 100'000,
                                 "length of a rollout; 0: until discount^steps < 0.05");
  return options;
}

std::shared_ptr<const Leaf> make_leaf(const Pomdp& model, const LeafOptions& options, RngKey key,
                                      ThreadPool& pool) {
  const int steps = rollout_steps(model.facts(), options.steps);
  if (options.kind == "zero") return std::make_shared<ZeroLeaf>();
  if (options.kind == "rollout") return std::make_shared<RolloutLeaf>(model, steps);
  if (options.kind == "blind") return std::make_shared<BlindLeaf>(model, steps, key.fold("blind"));
  PENUMBRA_CHECK(options.kind == "mdp", "no such leaf: " + options.kind);
  return make_mdp_leaf(make_mdp_value(model, {}, key.fold("mdp value"), pool));
}

std::shared_ptr<const Leaf> make_mdp_leaf(std::shared_ptr<const MdpValue> values) {
  return std::make_shared<MdpLeaf>(std::move(values));
}

std::shared_ptr<const Leaf> make_controller_leaf(const Pomdp& model, Fsc fsc, int steps) {
  return std::make_shared<ControllerLeaf>(model, std::move(fsc),
                                          rollout_steps(model.facts(), steps));
}

void plain_action(const Facts& facts, std::byte* action) {
  if (facts.num_actions > 0) {
    const int32_t first = 0;
    std::memcpy(action, &first, sizeof first);
    return;
  }
  for (size_t k = 0; k < facts.action_low.size(); ++k) {
    const float middle = 0.5f * (facts.action_low[k] + facts.action_high[k]);
    std::memcpy(action + k * sizeof middle, &middle, sizeof middle);
  }
}

void random_action(const Facts& facts, Rng& rng, std::byte* action) {
  if (facts.num_actions > 0) {
    const auto a = static_cast<int32_t>(rng.below(facts.num_actions));
    std::memcpy(action, &a, sizeof a);
    return;
  }
  for (size_t k = 0; k < facts.action_low.size(); ++k) {
    const float low = facts.action_low[k], high = facts.action_high[k];
    const float x = std::min(high, low + (high - low) * rng.uniform_float());
    std::memcpy(action + k * sizeof x, &x, sizeof x);
  }
}

}  // namespace penumbra::search

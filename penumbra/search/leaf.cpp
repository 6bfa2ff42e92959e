#include "penumbra/search/leaf.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "penumbra/base/error.h"
#include "penumbra/search/rollout_leaf.h"

namespace penumbra::search {
namespace {

constexpr double kRolloutTail = 0.05;  // discount^steps of a rollout
constexpr int kMaxRolloutSteps = 400;

int rollout_steps(const Facts& facts, int steps) {
  if (steps > 0) return steps;
  if (facts.discount == 0) return 1;
  return std::min<int>(kMaxRolloutSteps,
                       std::ceil(std::log(kRolloutTail) / std::log(facts.discount)));
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

bool is_leaf_kind(const std::string& text) {
  return text == "auto" || text == "rollout" || text == "mdp" || text == "blind" || text == "zero";
}

LeafOptions read_leaf_options(Params& params) {
  LeafOptions options;
  options.kind =
      params.text("leaf", options.kind,
                  "what a state at a new belief is worth: auto (mdp where the model knows its "
                  "states' values, else rollout), rollout (random actions), mdp "
                  "(V_mdp), blind (the best action again and again), zero, or a "
                  "controller's file");
  options.steps = params.integer("rollout_steps", 0, 0, 100'000,
                                 "length of a rollout; 0: until discount^steps < 0.05");
  return options;
}

std::shared_ptr<const Leaf> make_leaf(const Pomdp& model, const LeafOptions& options, RngKey key,
                                      ThreadPool& pool, const Stop& stop) {
  const int steps = rollout_steps(model.facts(), options.steps);
  const bool knows_states = model.has(Capability::kMdpValue) || model.has(Capability::kTable);
  const std::string kind = options.kind != "auto" ? options.kind : knows_states ? "mdp" : "rollout";
  if (kind == "zero") return std::make_shared<ZeroLeaf>();
  if (kind == "rollout") return make_rollout_leaf(model, steps);
  if (kind == "blind") return make_blind_leaf(model, steps, key.fold("blind"));
  PENUMBRA_CHECK(kind == "mdp", "no such leaf: " + kind);
  // One that is fitted needs something to be fitted to: a constant would be no leaf.
  MdpValueOptions source;
  if (!knows_states && !model.has(Capability::kFeatures)) source.source = "fitted";
  return make_mdp_leaf(make_mdp_value(model, source, key.fold("mdp value"), pool, stop));
}

std::shared_ptr<const Leaf> make_mdp_leaf(std::shared_ptr<const MdpValue> values) {
  return std::make_shared<MdpLeaf>(std::move(values));
}

std::shared_ptr<const Leaf> make_controller_leaf(const Pomdp& model, Fsc fsc, int steps) {
  return std::make_shared<ControllerLeaf>(model, std::move(fsc),
                                          rollout_steps(model.facts(), steps));
}

}  // namespace penumbra::search

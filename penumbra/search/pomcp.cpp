#include "penumbra/search/pomcp.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/search/deadline.h"
#include "penumbra/search/descents.h"
#include "penumbra/search/require_finite.h"
#include "penumbra/search/root_sampler.h"
#include "penumbra/search/tree.h"
#include "penumbra/search/tree_rows.h"

namespace penumbra::search {
namespace {

constexpr size_t kRootStates = 32;  // that the leaf is asked about before the first descent
constexpr int kMaxEdges = 1 << 25;  // then the tree grows no more: about two gigabytes

class PomcpSearch final : public Search {
 public:
  PomcpSearch(const Pomdp& model, const PomcpOptions& options, const Leaf& leaf, ThreadPool* pool);
  Decision plan(const Root& root, const Budget& budget, RngKey key) override;
  std::vector<TreeRow> rows(int levels, int most) const override {
    return TreeRows(model_, tree_, levels).likeliest(most);
  }

 private:
  void begin(const Root& root, RngKey key);
  void descend(uint64_t first, size_t count);
  size_t arrive(int depth, size_t live);
  void add_actions(int b);

  const Pomdp& model_;
  PomcpOptions options_;
  const Leaf& leaf_;
  ThreadPool* pool_;
  Tree<BeliefVisits, EdgeVisits> tree_{sizeof(int32_t), sizeof(int32_t)};
  LeafBatch leaves_;
  RootSampler sampler_;
  RecordBuffer root_states_;
  RngKey key_;
  std::vector<RngKey> step_keys_;  // one per depth
  Exploration exploration_;
  int deepest_ = 0;
  uint64_t steps_ = 0;

  Descents descents_;
  // Those that are still on their way, packed.
  StepBuffers lanes_;
  std::vector<int> action_, belief_, edge_, descent_;
  std::vector<uint64_t> id_;
};

PomcpSearch::PomcpSearch(const Pomdp& model, const PomcpOptions& options, const Leaf& leaf,
                         ThreadPool* pool)
    : model_(model),
      options_(options),
      leaf_(leaf),
      pool_(pool),
      leaves_(model, leaf, pool),
      root_states_(model.state_size()),
      step_keys_(options.depth),
      exploration_(options_, model.facts(), leaf),
      descents_(options.wave, options.depth),
      lanes_(model, options.wave),
      action_(options.wave),
      belief_(options.wave),
      edge_(options.wave),
      descent_(options.wave),
      id_(options.wave) {}

Decision PomcpSearch::plan(const Root& root, const Budget& budget, RngKey key) {
  Deadline deadline(budget);
  const uint64_t leaf_steps = leaves_.steps();
  begin(root, key);
  uint64_t done = 0;
  while (const size_t count = deadline.room(done, wave_after(done, options_.wave))) {
    descend(done, count);
    leaves_.run(key.fold("leaf"));
    descents_.back_up_all(tree_, leaves_, options_.power, model_.facts().discount, exploration_);
    done += count;
  }
  Decision decision = decision_of(model_, tree_, leaf_, deepest_);
  decision.simulations = done;
  decision.steps = steps_ + leaves_.steps() - leaf_steps;
  return decision;
}

void PomcpSearch::begin(const Root& root, RngKey key) {
  key_ = key;
  for (int d = 0; d < options_.depth; ++d) step_keys_[d] = key.fold("step").fold(d);
  steps_ = 0;
  deepest_ = 0;
  tree_.clear();
  sampler_.begin(root);
  sampler_.draw_evenly(kRootStates, Rng(key.fold("root leaf"), 0), root_states_);
  const int node = root.node >= 0 ? root.node : leaf_.start_node();
  ask_at_root(model_, root_states_, node, leaves_, key.fold("root value"), exploration_);
  tree_.belief(0).value = exploration_.mean();
  tree_.belief(0).node = node;
}

void PomcpSearch::descend(uint64_t first, size_t count) {
  leaves_.clear();
  descents_.begin(count);
  for (size_t i = 0; i < count; ++i) {
    Rng rng(key_.fold("root"), first + i);
    lanes_.next.copy_from(i, sampler_.draw(rng));
    id_[i] = first + i;
    belief_[i] = 0;
    descent_[i] = static_cast<int>(i);
  }
  const double constant = exploration_.constant();
  size_t live = count;
  for (int depth = 0; live > 0; ++depth) {
    for (size_t i = 0; i < live; ++i) {
      if (tree_.belief(belief_[i]).num_edges == 0) add_actions(belief_[i]);
      edge_[i] = choose_edge(tree_, belief_[i], constant);
      std::memcpy(&action_[i], tree_.action(edge_[i]), sizeof(int));
    }
    const ConstRecords action{reinterpret_cast<const std::byte*>(action_.data()), sizeof(int),
                              live};
    step_lanes(model_, action, {step_keys_[depth], 0, id_.data()}, lanes_.results(live), pool_);
    steps_ += live;
    live = arrive(depth, live);
  }
}

// After a step: who has ended, who asks the leaf, and how many go on.
size_t PomcpSearch::arrive(int depth, size_t live) {
  size_t kept = 0;
  for (size_t i = 0; i < live; ++i) {
    const int descent = descent_[i], e = edge_[i];
    descents_.add(descent, e, lanes_.reward[i]);
    if (lanes_.ended[i]) continue;
    const std::byte* seen = lanes_.seen.at(i);
    int b = tree_.find(e, seen);
    const bool is_new = b < 0;
    if (is_new) {
      b = tree_.add_belief(e, seen);
      deepest_ = std::max(deepest_, depth + 1);
      tree_.belief(b).value = tree_.edge(e).value;
      tree_.belief(b).node =
          leaf_.next_node(tree_.belief(tree_.edge(e).belief).node, tree_.action(e), seen);
    }
    const bool full = tree_.belief(b).num_edges == 0 && tree_.num_edges() >= kMaxEdges;
    if (is_new || full || depth + 1 == options_.depth) {
      descents_.end_at(descent, b, leaves_.add(lanes_.next.at(i), tree_.belief(b).node, id_[i]), 1);
      continue;
    }
    if (kept < i) lanes_.next.copy_from(kept, lanes_.next.at(i));
    belief_[kept] = b;
    descent_[kept] = descent;
    id_[kept++] = id_[i];
  }
  return kept;
}

// In an order that differs from belief to belief: early choices are not all of action 0.
void PomcpSearch::add_actions(int b) {
  const auto num_actions = static_cast<uint32_t>(model_.facts().num_actions);
  const auto first = static_cast<uint32_t>(RngKey::mix(b + 1) % num_actions);
  for (uint32_t k = 0; k < num_actions; ++k) {
    const auto a = static_cast<int32_t>((first + k) % num_actions);
    const int e = tree_.add_edge(b, reinterpret_cast<const std::byte*>(&a));
    tree_.edge(e).value = tree_.belief(b).value;
  }
}

}  // namespace

PomcpOptions read_pomcp_options(Params& params) {
  return read_uct_options(params);
}

Pomcp::Pomcp(const Pomdp& model, PomcpOptions options, std::shared_ptr<const Leaf> leaf)
    : model_(model), options_(resolve(options, model.facts(), *leaf)), leaf_(std::move(leaf)) {
  require_finite(model, "pomcp");
}

std::string Pomcp::describe() const {
  return "pomcp, at new beliefs " + leaf_->describe();
}

std::unique_ptr<Search> Pomcp::start(ThreadPool* pool) const {
  return std::make_unique<PomcpSearch>(model_, options_, *leaf_, pool);
}

}  // namespace penumbra::search

#include "penumbra/search/pomcp.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/base/moments.h"
#include "penumbra/search/deadline.h"
#include "penumbra/search/leaf_batch.h"
#include "penumbra/search/root_sampler.h"
#include "penumbra/search/tree.h"
#include "penumbra/search/tree_rows.h"

namespace penumbra::search {
namespace {

constexpr int kRootStates = 32;        // that the leaf is asked about before the first descent
constexpr int kMaxEdges = 1 << 25;     // then the tree grows no more: about a gigabyte
constexpr size_t kStepGrain = 256;     // lanes of a step that are worth a thread

class PomcpSearch final : public Search {
 public:
  PomcpSearch(const Pomdp& model, const PomcpOptions& options, const Leaf& leaf, ThreadPool* pool);
  Decision plan(const Root& root, const Budget& budget, RngKey key) override;
  std::vector<TreeRow> rows(int levels, int most) const override {
    return TreeRows(model_, tree_, levels).likeliest(most);
  }

 private:
  using HistoryTree = Tree<BeliefVisits, EdgeVisits>;

  void begin(const Root& root, RngKey key);
  void descend(uint64_t first, size_t count);
  size_t arrive(int depth, size_t live);
  void finish(size_t count);
  void step(int depth, size_t live);
  void add_actions(int b);
  Decision decide() const;

  const Pomdp& model_;
  PomcpOptions options_;
  const Leaf& leaf_;
  ThreadPool* pool_;
  HistoryTree tree_{sizeof(int32_t), sizeof(int32_t)};
  LeafBatch leaves_;
  RootSampler sampler_;
  RngKey key_;
  std::vector<RngKey> step_keys_;  // one per depth
  double exploration_ = 1;
  int deepest_ = 0;
  uint64_t steps_ = 0;

  // Lanes that are still on their way, packed.
  StepBuffers lanes_;
  std::vector<int> action_, belief_, edge_, descent_;
  std::vector<uint64_t> id_;
  // Per descent of the wave.
  std::vector<int> length_, leaf_number_, leaf_belief_;
  std::vector<int> path_edge_;  // row-major [descent][depth]
  std::vector<float> path_reward_;
};

PomcpSearch::PomcpSearch(const Pomdp& model, const PomcpOptions& options, const Leaf& leaf,
                         ThreadPool* pool)
    : model_(model),
      options_(options),
      leaf_(leaf),
      pool_(pool),
      leaves_(model, leaf, pool),
      step_keys_(options.depth),
      lanes_(model, options.wave) {
  for (auto* lane : {&action_, &belief_, &edge_, &descent_, &length_, &leaf_number_, &leaf_belief_})
    lane->resize(options.wave);
  id_.resize(options.wave);
  path_edge_.resize(size_t(options.wave) * options.depth);
  path_reward_.resize(path_edge_.size());
}

Decision PomcpSearch::plan(const Root& root, const Budget& budget, RngKey key) {
  Deadline deadline(budget);
  const uint64_t leaf_steps = leaves_.steps();
  begin(root, key);
  uint64_t done = 0;
  while (const size_t count = deadline.room(done, wave_after(done, options_.wave))) {
    descend(done, count);
    finish(count);
    done += count;
  }
  Decision decision = decide();
  decision.simulations = done;
  decision.steps = steps_ + leaves_.steps() - leaf_steps;
  return decision;
}

void PomcpSearch::begin(const Root& root, RngKey key) {
  PENUMBRA_CHECK(root.states.count > 0, "a belief without states");
  key_ = key;
  for (int d = 0; d < options_.depth; ++d) step_keys_[d] = key.fold("step").fold(d);
  steps_ = 0;
  deepest_ = 0;
  sampler_.begin(root);
  tree_.clear();
  tree_.belief(0).node = root.node >= 0 ? root.node : leaf_.start_node();
  leaves_.clear();
  RecordBuffer drawn(model_.state_size(), kRootStates);
  std::vector<uint8_t> ended(kRootStates);
  for (int i = 0; i < kRootStates; ++i) {
    Rng rng(key.fold("root leaf"), i);
    drawn.copy_from(i, sampler_.draw(rng));
  }
  model_.is_terminal(drawn, ended);
  for (int i = 0; i < kRootStates; ++i)
    if (!ended[i]) leaves_.add(drawn.at(i), tree_.belief(0).node, i);
  leaves_.run(key.fold("root value"));
  Moments values;
  for (int i = 0, asked = 0; i < kRootStates; ++i)
    values.add(ended[i] ? 0 : leaves_.value(asked++));
  const Estimate leaf = values.estimate();
  tree_.belief(0).value = leaf.mean;
  const double spread = leaf.standard_error * std::sqrt(double(leaf.count));
  exploration_ = options_.exploration > 0 ? options_.exploration
                                          : default_exploration(model_.facts(), spread);
}

void PomcpSearch::descend(uint64_t first, size_t count) {
  leaves_.clear();
  for (size_t i = 0; i < count; ++i) {
    Rng rng(key_.fold("root"), first + i);
    lanes_.next.copy_from(i, sampler_.draw(rng));
    id_[i] = first + i;
    belief_[i] = 0;
    descent_[i] = static_cast<int>(i);
    leaf_number_[i] = leaf_belief_[i] = -1;
  }
  size_t live = count;
  for (int depth = 0; live > 0; ++depth) {
    for (size_t i = 0; i < live; ++i) {
      if (tree_.belief(belief_[i]).num_edges == 0) add_actions(belief_[i]);
      edge_[i] = choose_edge(tree_, belief_[i], exploration_);
      std::memcpy(&action_[i], tree_.action(edge_[i]), sizeof(int));
    }
    step(depth, live);
    live = arrive(depth, live);
  }
  leaves_.run(key_.fold("leaf"));
}

// After a step: who has ended, who asks the leaf, and how many go on.
size_t PomcpSearch::arrive(int depth, size_t live) {
  size_t kept = 0;
  for (size_t i = 0; i < live; ++i) {
    const int descent = descent_[i], e = edge_[i];
    const size_t at = size_t(descent) * options_.depth + depth;
    path_edge_[at] = e;
    path_reward_[at] = lanes_.reward[i];
    length_[descent] = depth + 1;
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
      leaf_number_[descent] = leaves_.add(lanes_.next.at(i), tree_.belief(b).node, id_[i]);
      leaf_belief_[descent] = b;
      continue;
    }
    if (kept < i) lanes_.next.copy_from(kept, lanes_.next.at(i));
    belief_[kept] = b;
    descent_[kept] = descent;
    id_[kept++] = id_[i];
  }
  return kept;
}

void PomcpSearch::finish(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const size_t row = i * options_.depth, n = length_[i];
    const double value = leaf_number_[i] < 0 ? 0 : leaves_.value(leaf_number_[i]);
    back_up(tree_, {path_edge_.data() + row, n}, {path_reward_.data() + row, n}, leaf_belief_[i],
            value, options_.power, model_.facts().discount);
  }
}

void PomcpSearch::step(int depth, size_t live) {
  const StepResults results = lanes_.results(live);
  const std::span<const int> action(action_.data(), live);
  const Streams streams{step_keys_[depth], 0, id_.data()};
  steps_ += live;
  if (!pool_ || live <= kStepGrain) return model_.step(results.next, action, streams, results);
  pool_->for_chunks(live, kStepGrain, [&](size_t, size_t begin, size_t end) {
    const StepResults part = results.sub(begin, end - begin);
    model_.step(part.next, action.subspan(begin, end - begin), streams.from(begin), part);
  });
}

// In an order that differs from belief to belief: early choices are not all of action 0.
void PomcpSearch::add_actions(int b) {
  const auto num_actions = static_cast<uint32_t>(model_.facts().num_actions);
  const auto first = static_cast<uint32_t>(RngKey::mix(b) % num_actions);
  for (uint32_t k = 0; k < num_actions; ++k) {
    const auto a = static_cast<int32_t>((first + k) % num_actions);
    const int e = tree_.add_edge(b, reinterpret_cast<const std::byte*>(&a));
    tree_.edge(e).value = tree_.belief(b).value;
  }
}

Decision PomcpSearch::decide() const {
  Decision decision;
  const auto& root = tree_.belief(0);
  decision.action.resize(model_.action_size());
  decision.node = root.node;
  decision.beliefs = tree_.num_beliefs();
  decision.depth = deepest_;
  if (const int best = best_edge(tree_, 0); best >= 0) {
    std::copy_n(tree_.action(best), model_.action_size(), decision.action.begin());
    decision.value = tree_.edge(best).value;
    return decision;
  }
  decision.value = root.value;
  if (!leaf_.default_action(root.node, decision.action.data()))
    plain_action(model_.facts(), decision.action.data());
  return decision;
}

}  // namespace

PomcpOptions read_pomcp_options(Params& params) {
  PomcpOptions options;
  options.exploration = params.real("c", options.exploration, 0, 1e9,
                                    "exploration; 0: the range of one step's rewards, or "
                                    "the spread of the leaf's values if that is more");
  options.depth =
      params.integer("depth", options.depth, 0, 1000,
                     "where the leaf is asked at the latest; 0: discount^depth < 0.01");
  options.power = params.integer("power", options.power, 1, 8,
                                 "a belief's value weighs actions by visits^power; 1: the mean of "
                                 "all descents, as in the paper");
  options.wave = params.integer("wave", options.wave, 1, 65'536,
                                "descents at once; 1: one after the other, as in the paper");
  return options;
}

Pomcp::Pomcp(const Pomdp& model, PomcpOptions options, std::shared_ptr<const Leaf> leaf)
    : model_(model), options_(options), leaf_(std::move(leaf)) {
  if (!model.has(Capability::kFiniteObservations))
    throw Error(fmt::format("pomcp needs finite observations, {} has continuous ones; take pomcpow "
                            "or pft, or group them with clusters=K",
                            model.facts().name));
  require(model, Capability::kFiniteActions, "pomcp");
  if (options_.depth == 0) options_.depth = default_depth(model.facts());
}

std::string Pomcp::describe() const {
  return "pomcp, at new beliefs " + leaf_->describe();
}

std::unique_ptr<Search> Pomcp::start(ThreadPool* pool) const {
  return std::make_unique<PomcpSearch>(model_, options_, *leaf_, pool);
}

}  // namespace penumbra::search

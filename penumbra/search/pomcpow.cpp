#include "penumbra/search/pomcpow.h"

#include "penumbra/search/deadline.h"
#include "penumbra/search/descents.h"
#include "penumbra/search/root_sampler.h"
#include "penumbra/search/tree.h"
#include "penumbra/search/tree_rows.h"
#include "penumbra/search/weighted_states.h"

namespace penumbra::search {
namespace {

constexpr size_t kRootStates = 32;  // that the leaf is asked about before the first descent
constexpr int kMaxEdges = 1 << 25;  // then the tree grows no more

struct ListedBelief : BeliefVisits {
  StateList list;
  int times = 0;  // that its observation was seen while the action could still add one
};

class PomcpowSearch final : public Search {
 public:
  PomcpowSearch(const Pomdp& model, const PomcpowOptions& options, const Leaf& leaf,
                ThreadPool* pool);
  Decision plan(const Root& root, const Budget& budget, RngKey key) override;
  std::vector<TreeRow> rows(int levels, int most) const override {
    return TreeRows(model_, tree_, levels).likeliest(most);
  }

 private:
  void begin(const Root& root, RngKey key);
  void descend(uint64_t first, size_t count);
  size_t arrive(int depth, size_t live);
  void exchange(size_t lane, int e, ListedBelief& belief, const std::byte* seen, Rng& rng);
  int belief_after(int e, const std::byte* seen, Rng& rng);
  int add_belief(int e, const std::byte* seen);
  int draw_belief(int e, Rng& rng) const;

  const Pomdp& model_;
  UctOptions options_;
  Widening widening_;
  bool few_seen_;  // fewer observations than any action may lead to
  const Leaf& leaf_;
  ThreadPool* pool_;
  Tree<ListedBelief, EdgeVisits> tree_;
  WeightedStates lists_;
  LeafBatch leaves_;
  RootSampler sampler_;
  RecordBuffer root_states_;
  RngKey key_;
  std::vector<RngKey> step_keys_, draw_keys_;  // one per depth
  Exploration exploration_;
  int deepest_ = 0;
  uint64_t steps_ = 0;

  Descents descents_;
  // Those that are still on their way, packed.
  StepBuffers lanes_;
  RecordBuffer action_;
  std::vector<int> belief_, edge_, descent_;
  std::vector<uint64_t> id_;
};

PomcpowSearch::PomcpowSearch(const Pomdp& model, const PomcpowOptions& options, const Leaf& leaf,
                             ThreadPool* pool)
    : model_(model),
      options_(options.uct),
      widening_(model, options.widening),
      few_seen_(model.facts().num_observations > 0 &&
                model.facts().num_observations <= options.widening.k_seen),
      leaf_(leaf),
      pool_(pool),
      tree_(model.action_size(), model.seen_size()),
      lists_(model.state_size()),
      leaves_(model, leaf, pool),
      root_states_(model.state_size()),
      step_keys_(options_.depth),
      draw_keys_(options_.depth),
      exploration_(options_, model.facts(), leaf),
      descents_(options_.wave, options_.depth),
      lanes_(model, options_.wave),
      action_(model.action_size(), options_.wave),
      belief_(options_.wave),
      edge_(options_.wave),
      descent_(options_.wave),
      id_(options_.wave) {}

Decision PomcpowSearch::plan(const Root& root, const Budget& budget, RngKey key) {
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

void PomcpowSearch::begin(const Root& root, RngKey key) {
  key_ = key;
  for (int d = 0; d < options_.depth; ++d) {
    step_keys_[d] = key.fold("step").fold(d);
    draw_keys_[d] = key.fold("draw").fold(d);
  }
  steps_ = 0;
  deepest_ = 0;
  tree_.clear();
  lists_.clear();
  sampler_.begin(root);
  sampler_.draw_evenly(kRootStates, Rng(key.fold("root leaf"), 0), root_states_);
  const int node = root.node >= 0 ? root.node : leaf_.start_node();
  ask_at_root(model_, root_states_, node, leaves_, key.fold("root value"), exploration_);
  tree_.belief(0).value = exploration_.mean();
  tree_.belief(0).node = node;
}

void PomcpowSearch::descend(uint64_t first, size_t count) {
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
    const RngKey action_key = draw_keys_[depth].fold("action");
    for (size_t i = 0; i < live; ++i) {
      widening_.widen(tree_, belief_[i], Rng(action_key, id_[i]));
      edge_[i] = choose_edge(tree_, belief_[i], constant);
      action_.copy_from(i, tree_.action(edge_[i]));
    }
    step_lanes(model_, action_.sub(0, live), {step_keys_[depth], 0, id_.data()},
               lanes_.results(live), pool_);
    steps_ += live;
    live = arrive(depth, live);
  }
}

// After a step: who has ended, who asks the leaf, and how many go on. That an episode has ended is
// seen, so such a state is in no list.
size_t PomcpowSearch::arrive(int depth, size_t live) {
  size_t kept = 0;
  for (size_t i = 0; i < live; ++i) {
    const int descent = descent_[i], e = edge_[i];
    if (lanes_.ended[i]) {
      descents_.add(descent, e, lanes_.reward[i]);
      continue;
    }
    Rng rng(draw_keys_[depth], id_[i]);
    const int known = tree_.num_beliefs(), b = belief_after(e, lanes_.seen.at(i), rng);
    auto& belief = tree_.belief(b);
    if (!few_seen_) exchange(i, e, belief, tree_.seen(b), rng);
    descents_.add(descent, e, lanes_.reward[i]);
    const bool full = belief.num_edges == 0 && tree_.num_edges() >= kMaxEdges;
    if (b >= known || full || depth + 1 == options_.depth) {
      deepest_ = std::max(deepest_, depth + 1);
      descents_.end_at(descent, b, leaves_.add(lanes_.next.at(i), belief.node, id_[i]), 1);
      continue;
    }
    if (kept < i) lanes_.next.copy_from(kept, lanes_.next.at(i));
    belief_[kept] = b;
    descent_[kept] = descent;
    id_[kept++] = id_[i];
  }
  return kept;
}

// Puts the lane's state on the list of its new belief, and draws from that list the one to go on
// with.
void PomcpowSearch::exchange(size_t lane, int e, ListedBelief& belief, const std::byte* seen,
                             Rng& rng) {
  double weight = 0;
  model_.likelihood(seen, tree_.action(e), lanes_.next.sub(lane, 1), {&weight, 1});
  lists_.add(belief.list, lanes_.next.at(lane), lanes_.reward[lane], weight);
  const size_t drawn = lists_.draw(belief.list, rng);
  lanes_.next.copy_from(lane, lists_.state(drawn));
  lanes_.reward[lane] = lists_.reward(drawn);
}

// The belief that a descent goes to after an action: that of what it saw where this is new and may
// be added, else any, as often as they were seen. What it saw itself must not decide: states that
// were sorted by what they make one see and then weighted by it would count it twice. Where there
// is room for all that can be seen it does decide, and nothing is weighted, as in pomcp.
int PomcpowSearch::belief_after(int e, const std::byte* seen, Rng& rng) {
  const auto& edge = tree_.edge(e);
  if (few_seen_ || widening_.may_see_more(edge.num_children, edge.visits)) {
    const int found = tree_.find(e, seen), b = found < 0 ? add_belief(e, seen) : found;
    ++tree_.belief(b).times;
    if (found < 0 || few_seen_) return b;
  }
  return draw_belief(e, rng);
}

int PomcpowSearch::add_belief(int e, const std::byte* seen) {
  const int b = tree_.add_belief(e, seen);
  auto& belief = tree_.belief(b);
  belief.value = tree_.edge(e).value;
  belief.node = leaf_.next_node(tree_.belief(tree_.edge(e).belief).node, tree_.action(e), seen);
  return b;
}

int PomcpowSearch::draw_belief(int e, Rng& rng) const {
  int times = 0;
  for (int b = tree_.edge(e).first_child; b >= 0; b = tree_.belief(b).sibling)
    times += tree_.belief(b).times;
  auto left = static_cast<int>(rng.below(times));
  int b = tree_.edge(e).first_child;
  while ((left -= tree_.belief(b).times) >= 0) b = tree_.belief(b).sibling;
  return b;
}

}  // namespace

PomcpowOptions read_pomcpow_options(Params& params) {
  PomcpowOptions options;
  options.uct = read_uct_options(params);
  options.widening = read_widening_options(params);
  return options;
}

Pomcpow::Pomcpow(const Pomdp& model, PomcpowOptions options, std::shared_ptr<const Leaf> leaf)
    : model_(model), options_(options), leaf_(std::move(leaf)) {
  require(model, Capability::kLikelihood, "pomcpow");
  options_.uct = resolve(options.uct, model.facts(), *leaf_);
}

std::string Pomcpow::describe() const {
  return "pomcpow, at new beliefs " + leaf_->describe();
}

std::unique_ptr<Search> Pomcpow::start(ThreadPool* pool) const {
  return std::make_unique<PomcpowSearch>(model_, options_, *leaf_, pool);
}

}  // namespace penumbra::search

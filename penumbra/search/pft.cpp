#include "penumbra/search/pft.h"

#include <fmt/format.h>

#include "penumbra/search/deadline.h"
#include "penumbra/search/descents.h"
#include "penumbra/search/root_sampler.h"
#include "penumbra/search/tree.h"
#include "penumbra/search/tree_beliefs.h"
#include "penumbra/search/tree_rows.h"

namespace penumbra::search {
namespace {

constexpr size_t kMaxParticles = 1 << 26;  // of the whole tree; then it grows no more

struct ParticleBelief : BeliefVisits {
  float reward = 0;    // of the step to it
  bool ended = false;  // terminal
  int times = 0;       // that it was drawn as new
};
struct WidenedEdge : EdgeVisits {
  int draws = 0;  // of observations, with those under way; equal ones share a belief
};

class PftSearch final : public Search {
 public:
  PftSearch(const Pomdp& model, const PftOptions& options, const Leaf& leaf, ThreadPool* pool);
  Decision plan(const Root& root, const Budget& budget, RngKey key) override;
  std::vector<TreeRow> rows(int levels, int most) const override {
    return TreeRows(model_, tree_, levels).likeliest(most);
  }

 private:
  // A belief that a descent is about to add.
  struct Growth {
    int descent, edge;
    uint64_t id;
  };

  void begin(const Root& root, RngKey key);
  void descend(int descent, uint64_t id);
  bool may_add(int e) const;
  int draw_child(int e, Rng& rng) const;
  void step_all();
  void see(size_t g);
  int add_belief(int e, const std::byte* seen, const StepResults& after, Rng rng);
  void ask_leaf(int descent, int b, uint64_t id);

  const Pomdp& model_;
  PftOptions options_;
  Widening widening_;
  const Leaf& leaf_;
  ThreadPool* pool_;
  Tree<ParticleBelief, WidenedEdge> tree_;
  TreeBeliefs beliefs_;
  LeafBatch leaves_;
  RootSampler sampler_;
  RecordBuffer root_states_;
  RngKey key_;
  Exploration exploration_;
  double constant_ = 1;
  int deepest_ = 0;
  uint64_t steps_ = 0;

  Descents descents_;
  std::vector<Growth> growing_;
  StepBuffers lanes_;  // all particles of those that grow
  RecordBuffer action_;
  std::vector<uint64_t> id_;
  std::vector<double> weight_;
};

PftSearch::PftSearch(const Pomdp& model, const PftOptions& options, const Leaf& leaf,
                     ThreadPool* pool)
    : model_(model),
      options_(options),
      widening_(model, options.widening),
      leaf_(leaf),
      pool_(pool),
      tree_(model.action_size(), model.seen_size()),
      beliefs_(model.state_size(), options.particles),
      leaves_(model, leaf, pool),
      root_states_(model.state_size()),
      exploration_(options_.uct, model.facts(), leaf),
      descents_(options.uct.wave, options.uct.depth),
      lanes_(model, size_t(options.uct.wave) * options.particles),
      action_(model.action_size(), lanes_.reward.size()),
      id_(lanes_.reward.size()),
      weight_(options.particles) {}

Decision PftSearch::plan(const Root& root, const Budget& budget, RngKey key) {
  Deadline deadline(budget);
  const uint64_t leaf_steps = leaves_.steps();
  begin(root, key);
  uint64_t done = 0;
  while (const size_t count = deadline.room(done, wave_after(done, options_.uct.wave))) {
    leaves_.clear();
    growing_.clear();
    descents_.begin(count);
    constant_ = exploration_.constant();
    for (size_t i = 0; i < count; ++i) descend(static_cast<int>(i), done + i);
    step_all();
    for (size_t g = 0; g < growing_.size(); ++g) see(g);
    leaves_.run(key.fold("leaf"));
    descents_.back_up_all(tree_, leaves_, options_.uct.power, model_.facts().discount,
                          exploration_);
    done += count;
  }
  Decision decision = decision_of(model_, tree_, leaf_, deepest_);
  decision.simulations = done;
  decision.steps = steps_ + leaves_.steps() - leaf_steps;
  return decision;
}

void PftSearch::begin(const Root& root, RngKey key) {
  key_ = key;
  steps_ = 0;
  deepest_ = 0;
  tree_.clear();
  beliefs_.clear();
  sampler_.begin(root);
  sampler_.draw_evenly(options_.particles, Rng(key.fold("root"), 0), root_states_);
  std::fill(weight_.begin(), weight_.end(), 1.0);
  beliefs_.add(root_states_, weight_, Rng(key, 0));
  const int node = root.node >= 0 ? root.node : leaf_.start_node();
  ask_at_root(model_, root_states_, node, leaves_, key.fold("root value"), exploration_);
  tree_.belief(0).value = exploration_.mean();
  tree_.belief(0).node = node;
}

// Down to a belief that is to be added, or that ends the descent.
void PftSearch::descend(int descent, uint64_t id) {
  Rng rng(key_.fold("descent"), id);
  for (int b = 0;;) {
    if (tree_.belief(b).ended) return descents_.end_at(descent, b, 0, 0);
    if (descents_.length(descent) == options_.uct.depth) return ask_leaf(descent, b, id);
    widening_.widen(tree_, b, Rng(key_.fold("action").fold(b), id));
    const int e = choose_edge(tree_, b, constant_);
    if (may_add(e)) {
      ++tree_.edge(e).draws;
      growing_.push_back({descent, e, id});
      return;
    }
    b = draw_child(e, rng);
    descents_.add(descent, e, tree_.belief(b).reward);
  }
}

bool PftSearch::may_add(int e) const {
  const auto& edge = tree_.edge(e);
  if (edge.num_children == 0) return true;
  if (size_t(tree_.num_beliefs()) * options_.particles >= kMaxParticles) return false;
  return widening_.may_see_more(edge.draws, edge.visits);
}

int PftSearch::draw_child(int e, Rng& rng) const {
  int times = 0;
  for (int b = tree_.edge(e).first_child; b >= 0; b = tree_.belief(b).sibling)
    times += tree_.belief(b).times;
  auto left = static_cast<int>(rng.below(times));
  int b = tree_.edge(e).first_child;
  while ((left -= tree_.belief(b).times) >= 0) b = tree_.belief(b).sibling;
  return b;
}

void PftSearch::step_all() {
  const size_t n = options_.particles, lanes = growing_.size() * n;
  for (size_t g = 0; g < growing_.size(); ++g) {
    const Growth& growth = growing_[g];
    const ConstRecords states = beliefs_.states(tree_.edge(growth.edge).belief);
    std::memcpy(lanes_.next.at(g * n), states.data, n * states.size);
    for (size_t i = g * n; i < (g + 1) * n; ++i) {
      action_.copy_from(i, tree_.action(growth.edge));
      id_[i] = growth.id * n + i - g * n;
    }
  }
  step_lanes(model_, action_.sub(0, lanes), {key_.fold("step"), 0, id_.data()},
             lanes_.results(lanes), pool_);
  steps_ += lanes;
}

// What one particle made one see is a belief, unless it has been seen before.
void PftSearch::see(size_t g) {
  const Growth& growth = growing_[g];
  const size_t n = options_.particles;
  const StepResults after = lanes_.results(growing_.size() * n).sub(g * n, n);
  Rng rng(key_.fold("grow"), growth.id);
  const int drawn = beliefs_.at_share(tree_.edge(growth.edge).belief, rng.uniform());
  const bool ended = after.ended[drawn] != 0;
  int b = tree_.find(growth.edge, after.seen.at(drawn));
  if (b < 0 || tree_.belief(b).ended != ended) {
    b = add_belief(growth.edge, after.seen.at(drawn), after, rng);
    tree_.belief(b).ended = ended;
  }
  ++tree_.belief(b).times;
  descents_.add(growth.descent, growth.edge, tree_.belief(b).reward);
  if (ended) return descents_.end_at(growth.descent, b, 0, 0);
  ask_leaf(growth.descent, b, growth.id);
}

int PftSearch::add_belief(int e, const std::byte* seen, const StepResults& after, Rng rng) {
  const int above = tree_.edge(e).belief, b = tree_.add_belief(e, seen);
  auto& belief = tree_.belief(b);
  const std::span<const double> weights = beliefs_.weights(above);
  double reward = 0;
  for (size_t i = 0; i < weights.size(); ++i) reward += weights[i] * after.reward[i];
  belief.reward = static_cast<float>(reward);
  belief.value = tree_.edge(e).value;
  belief.node = leaf_.next_node(tree_.belief(above).node, tree_.action(e), seen);
  model_.likelihood(seen, tree_.action(e), after.next, weight_);
  for (size_t i = 0; i < weights.size(); ++i)
    weight_[i] = after.ended[i] ? 0 : weight_[i] * weights[i];
  beliefs_.add(after.next, weight_, rng);
  deepest_ = std::max(deepest_, belief.depth);
  return b;
}

void PftSearch::ask_leaf(int descent, int b, uint64_t id) {
  const int asked = options_.leaf_states, first = static_cast<int>(leaves_.size());
  Rng rng(key_.fold("leaf states"), id);
  const double offset = rng.uniform();
  for (int k = 0; k < asked; ++k)
    leaves_.add(beliefs_.states(b).at(beliefs_.at_share(b, (k + offset) / asked)),
                tree_.belief(b).node, id * asked + k);
  descents_.end_at(descent, b, first, asked);
}

}  // namespace

PftOptions read_pft_options(Params& params) {
  PftOptions options;
  options.uct = read_uct_options(params, options.uct);
  options.widening = read_widening_options(params);
  options.particles = params.integer("tree_particles", options.particles, 1, 100'000,
                                     "particles of a belief in the tree");
  options.leaf_states = params.integer("leaf_states", options.leaf_states, 1, 100'000,
                                       "particles of a new belief that the leaf is asked about");
  return options;
}

Pft::Pft(const Pomdp& model, PftOptions options, std::shared_ptr<const Leaf> leaf)
    : model_(model), options_(options), leaf_(std::move(leaf)) {
  require(model, Capability::kLikelihood, "pft");
  options_.uct = resolve(options.uct, model.facts(), *leaf_);
}

std::string Pft::describe() const {
  return fmt::format("pft with {} particles, at new beliefs {}", options_.particles,
                     leaf_->describe());
}

std::unique_ptr<Search> Pft::start(ThreadPool* pool) const {
  return std::make_unique<PftSearch>(model_, options_, *leaf_, pool);
}

}  // namespace penumbra::search

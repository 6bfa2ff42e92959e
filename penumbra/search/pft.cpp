#include "penumbra/search/pft.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/search/tree_beliefs.h"
#include "penumbra/search/uct_search.h"

namespace penumbra::search {
namespace {

constexpr double kMostLanes = 1e7;         // states that one wave steps
constexpr size_t kMaxParticles = 1 << 26;  // of the whole tree; then it grows no more

struct ParticleBelief : BeliefVisits {
  float reward = 0;    // of the step to it
  bool ended = false;  // terminal
  int times = 0;       // that it was drawn as new
};
struct WidenedEdge : EdgeVisits {
  int draws = 0;  // of observations, with those under way; equal ones share a belief
};

class PftSearch final : public UctSearch<ParticleBelief, WidenedEdge> {
 public:
  PftSearch(const Pomdp& model, const PftOptions& options, const Leaf& leaf, ThreadPool* pool);

 private:
  // A belief that a descent is about to add.
  struct Growth {
    int descent, edge;
    uint64_t id;
  };

  void begun() override;
  void descend(uint64_t first, size_t count) override;
  void descend_one(int descent, uint64_t id);
  bool full() const { return size_t(tree_.num_beliefs()) * options_.particles >= kMaxParticles; }
  bool may_add(int e) const;
  void step_all();
  void see(size_t g);
  int find(int e, const std::byte* seen, bool ended) const;
  int add_belief(int e, const std::byte* seen, const StepResults& after, Rng rng);
  void ask_leaf(int descent, int b, uint64_t id);

  PftOptions options_;
  Widening widening_;
  TreeBeliefs beliefs_;
  double constant_ = 1;
  std::vector<Growth> growing_;
  StepBuffers lanes_;  // all particles of those that grow
  RecordBuffer action_;
  std::vector<uint64_t> id_;
  std::vector<double> weight_;
};

PftSearch::PftSearch(const Pomdp& model, const PftOptions& options, const Leaf& leaf,
                     ThreadPool* pool)
    : UctSearch(model, options.uct, leaf, pool, options.particles),
      options_(options),
      widening_(model, options.widening),
      beliefs_(model.state_size(), options.particles),
      lanes_(model, size_t(options.uct.wave) * options.particles),
      action_(model.action_size(), lanes_.reward.size()),
      id_(lanes_.reward.size()),
      weight_(options.particles) {}

void PftSearch::begun() {
  beliefs_.clear();
  std::fill(weight_.begin(), weight_.end(), 1.0);
  beliefs_.add(root_states_, weight_, Rng(key_, 0));
}

void PftSearch::descend(uint64_t first, size_t count) {
  growing_.clear();
  constant_ = exploration_.constant();
  for (size_t i = 0; i < count; ++i) descend_one(static_cast<int>(i), first + i);
  step_all();
  for (size_t g = 0; g < growing_.size(); ++g) see(g);
}

// Down to a belief that is to be added, or that ends the descent.
void PftSearch::descend_one(int descent, uint64_t id) {
  Rng rng(key_.fold("descent"), id);
  for (int b = 0;;) {
    if (tree_.belief(b).ended) return descents_.end_at(descent, b, 0, 0);
    if (full() || descents_.length(descent) == uct_.depth) return ask_leaf(descent, b, id);
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
  return widening_.may_see_more(edge.draws, edge.visits);
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
  int b = find(growth.edge, after.seen.at(drawn), ended);
  if (b < 0) {
    b = add_belief(growth.edge, after.seen.at(drawn), after, rng);
    tree_.belief(b).ended = ended;
  }
  ++tree_.belief(b).times;
  descents_.add(growth.descent, growth.edge, tree_.belief(b).reward);
  if (ended) return descents_.end_at(growth.descent, b, 0, 0);
  ask_leaf(growth.descent, b, growth.id);
}

// That an episode has ended is seen too.
int PftSearch::find(int e, const std::byte* seen, bool ended) const {
  for (int b = tree_.edge(e).first_child; b >= 0; b = tree_.belief(b).sibling)
    if (tree_.belief(b).ended == ended && std::memcmp(tree_.seen(b), seen, model_.seen_size()) == 0)
      return b;
  return -1;
}

int PftSearch::add_belief(int e, const std::byte* seen, const StepResults& after, Rng rng) {
  const int above = tree_.edge(e).belief, b = add_child(e, seen);
  auto& belief = tree_.belief(b);
  const std::span<const double> weights = beliefs_.weights(above);
  double reward = 0;
  for (size_t i = 0; i < weights.size(); ++i) reward += weights[i] * after.reward[i];
  belief.reward = static_cast<float>(reward);
  model_.likelihood(seen, tree_.action(e), after.next, weight_);
  double total = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double w = weight_[i] * weights[i];
    total += weight_[i] = after.ended[i] || !(w > 0) ? 0 : w;
  }
  if (!(total > 0))  // the model's likelihood denies what its step showed
    for (size_t i = 0; i < weights.size(); ++i) weight_[i] = after.ended[i] ? 0 : weights[i];
  beliefs_.add(after.next, weight_, rng);
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
  if (double(options.uct.wave) * std::max(options.particles, options.leaf_states) > kMostLanes)
    throw Error("wave times tree_particles (or leaf_states) must not be above ten million");
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

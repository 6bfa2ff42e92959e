#include "penumbra/search/despot.h"

#include <fmt/format.h>

#include "penumbra/belief/particles.h"
#include "penumbra/search/require_finite.h"

namespace penumbra::search {
namespace {

constexpr size_t kManySteps = 2048;  // that are worth several threads

class Scenarios final : public Expander {
 public:
  Scenarios(const Pomdp& model, int count, ThreadPool* pool, Noise noise)
      : model_(model),
        count_(count),
        noise_(noise),
        pool_(pool),
        buffers_(model, 0),
        child_of_(model.facts().num_observations, -1) {}

  void begin(const Root& root, size_t most, BoundTree& tree, RngKey key) override {
    key_ = key.fold("steps");
    taken_ = static_cast<int>(std::min<size_t>(count_, most));
    tree.states.append(resample(root.states, root.weights, taken_, key));
    tree.ids.resize(taken_);
    tree.origin.resize(taken_);
    for (int i = 0; i < taken_; ++i) tree.origin[i] = tree.ids[i] = i;
    tree.belief(0).count = taken_;
  }

  void expand(BoundTree& tree, int b) override {
    const size_t count = tree.belief(b).count, first = tree.belief(b).first;
    const int actions = model_.facts().num_actions;
    step_all(tree, first, count, noise_ == Noise::kOwn ? b : tree.belief(b).depth);
    const double weight =
        std::pow(model_.facts().discount, tree.belief(b).depth) / static_cast<double>(taken_);
    const StepResults out = buffers_.results(count * actions);
    for (int a = 0; a < actions; ++a) {
      const int e = tree.add_edge(b, reinterpret_cast<const std::byte*>(&a));
      double reward = 0;
      for (size_t i = 0; i < count; ++i) reward += out.reward[a * count + i];
      tree.edge(e).reward = weight * reward;
      partition(tree, e, out.sub(a * count, count), first);
    }
  }
  uint64_t steps() const override { return steps_; }

 private:
  // Every scenario under every action; a scenario's random numbers are the same for all.
  void step_all(const BoundTree& tree, size_t first, size_t count, int turn) {
    const size_t actions = model_.facts().num_actions, lanes = count * actions;
    action_.resize(lanes);
    const StepResults out = buffers_.results(lanes);
    const RngKey key = key_.fold(turn);
    auto body = [&](size_t a, size_t, size_t) {
      const std::span<int> action(action_.data() + a * count, count);
      std::fill(action.begin(), action.end(), static_cast<int>(a));
      model_.step(tree.states.sub(first, count), std::span<const int>(action),
                  {key, 0, tree.ids.data() + first}, out.sub(a * count, count));
    };
    if (pool_ && lanes > kManySteps)
      pool_->for_chunks(actions, 1, body);
    else
      for (size_t a = 0; a < actions; ++a) body(a, a, a + 1);
    steps_ += lanes;
  }

  // The successors of one action: scenarios by what is seen, in the order of first sight.
  void partition(BoundTree& tree, int e, const StepResults& out, size_t first) {
    const size_t count = out.reward.size();
    children_.clear();
    child_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      child_[i] = -1;
      if (out.ended[i]) continue;
      const int seen = index_of(out.seen, i);
      if (child_of_[seen] < 0) {
        child_of_[seen] = tree.add_belief(e, out.seen.at(i));
        children_.push_back(seen);
      }
      child_[i] = child_of_[seen];
      ++tree.belief(child_[i]).count;
    }
    size_t at = tree.states.count();
    for (int seen : children_) {
      BoundTree::Belief& child = tree.belief(child_of_[seen]);
      child.first = at;
      child.share = static_cast<double>(child.count) / taken_;
      at += child.count;
      child.count = 0;
      child_of_[seen] = -1;
    }
    tree.states.resize(at);
    tree.ids.resize(at);
    tree.origin.resize(at);
    for (size_t i = 0; i < count; ++i) {
      if (child_[i] < 0) continue;
      BoundTree::Belief& child = tree.belief(child_[i]);
      const size_t to = child.first + child.count++;
      tree.states.copy_from(to, out.next.at(i));
      tree.ids[to] = tree.ids[first + i];
      tree.origin[to] = static_cast<uint32_t>(first + i);
    }
  }

  const Pomdp& model_;
  int count_;
  Noise noise_;
  int taken_ = 0;  // of them: fewer where time is short
  ThreadPool* pool_;
  RngKey key_;
  StepBuffers buffers_;
  std::vector<int> action_, child_of_, children_, child_;
  uint64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Expander> scenarios(const Pomdp& model, int count, ThreadPool* pool, Noise noise) {
  return std::make_unique<Scenarios>(model, count, pool, noise);
}

void read_bound_options(Params& params, BoundOptions& o) {
  o.depth = params.integer("depth", o.depth, 1, 10'000, "of the tree, at most");
  o.xi = params.real("xi", o.xi, 0, 1, "share of the root's gap that a descent aims at");
  o.gap = params.real("gap", o.gap, 0, 1e9, "at the root: small enough to end");
  o.judges = params.integer("judges", o.judges, 0, 10'000'000,
                            "fresh states on which a plan must beat the controller; 0: none");
  o.accept_z = params.real("accept_z", o.accept_z, 0, 100, "by so many standard errors");
  o.networks =
      params.flag("networks", o.networks, "leaves by the controller's networks, where it has some");
  o.megabytes = params.real("memory", o.megabytes, 1, 1e6, "megabytes of states in the tree");
}

DespotOptions DespotOptions::read(Params& params) {
  DespotOptions o;
  o.scenarios = params.integer("scenarios", o.scenarios, 1, 1'000'000, "K");
  o.bounds.price =
      params.real("lambda", o.bounds.price, 0, 1e9, "what an action of the plan must be worth");
  read_bound_options(params, o.bounds);
  return o;
}

Despot::Despot(const Pomdp& model, const DespotOptions& options, std::shared_ptr<const Guide> guide,
               std::shared_ptr<const MdpValue> values)
    : model_(model), options_(options), guide_(std::move(guide)), values_(std::move(values)) {
  require_finite(model, "despot");
}

std::string Despot::describe() const {
  return fmt::format("despot({} scenarios, guide {})", options_.scenarios, guide_->name());
}

std::unique_ptr<Search> Despot::start(ThreadPool* pool) const {
  return std::make_unique<BoundSearch>(*guide_, *values_, options_.bounds,
                                       scenarios(model_, options_.scenarios, pool), pool);
}

}  // namespace penumbra::search

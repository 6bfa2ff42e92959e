#include "penumbra/search/adaops.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "penumbra/belief/particles.h"
#include "penumbra/search/despot.h"
#include "penumbra/search/require_finite.h"

namespace penumbra::search {
namespace {

class Packing final : public Expander {
 public:
  Packing(const Pomdp& model, const AdaopsOptions& options)
      : model_(model), options_(options), states_(model.state_size()), buffers_(model, 0) {}

  void begin(const Root& root, size_t most, BoundTree& tree, RngKey key) override {
    key_ = key.fold("steps");
    taken_ = std::min<size_t>(options_.particles, most);
    tree.states.append(resample(root.states, root.weights, taken_, key));
    tree.weights.assign(taken_, 1.0 / static_cast<double>(taken_));
    tree.belief(0).count = taken_;
  }

  void expand(BoundTree& tree, int b) override {
    refresh(tree, b);
    const size_t count = belief_.count();
    const int actions = model_.facts().num_actions;
    const double share = tree.belief(b).share;
    const double scale = share * std::pow(model_.facts().discount, tree.belief(b).depth);
    states_.clear();
    action_.resize(count * actions);
    for (int a = 0; a < actions; ++a) {
      states_.append(belief_.states);
      std::fill_n(action_.begin() + static_cast<long>(a * count), count, a);
    }
    ids_.resize(count * actions);
    for (size_t i = 0; i < ids_.size(); ++i) ids_[i] = i % count;
    const StepResults all = buffers_.results(count * actions);
    model_.step(states_, std::span<const int>(action_), {key_.fold(b), 0, ids_.data()}, all);
    steps_ += count * actions;
    for (int a = 0; a < actions; ++a) {
      const int e = tree.add_edge(b, reinterpret_cast<const std::byte*>(&a));
      const StepResults out = all.sub(a * count, count);
      double reward = 0;
      for (size_t i = 0; i < count; ++i) reward += belief_.weight(i) * out.reward[i];
      tree.edge(e).reward = scale * reward;
      pack(tree, e, a, share, out);
    }
  }
  uint64_t steps() const override { return steps_; }

 private:
  struct Branch {
    const std::byte* seen;
    double mass = 0;
    std::vector<double> weights;
  };

  // The belief's particles, resampled where few of them carry the weight.
  void refresh(const BoundTree& tree, int b) {
    const size_t first = tree.belief(b).first, count = tree.belief(b).count;
    belief_ = Particles(model_.state_size(), 0);
    for (size_t i = first; i < first + count; ++i) {
      if (!(tree.weights[i] > 0)) continue;
      belief_.states.push_back(tree.states.at(i));
      belief_.weights.push_back(tree.weights[i]);
    }
    double total = 0;
    for (double w : belief_.weights) total += w;
    for (double& w : belief_.weights) w /= total;
    if (belief_.effective_size() < options_.least_effective * static_cast<double>(taken_))
      belief_ = resample(belief_, taken_, key_.fold("resample").fold(b));
  }

  // Successors by what is seen; one that is like an earlier one is added to it.
  void pack(BoundTree& tree, int e, int action, double share, const StepResults& out) {
    const size_t count = belief_.count();
    masses_.clear();
    order_.clear();
    for (size_t i = 0; i < count; ++i) {
      if (out.ended[i]) continue;
      const int seen = index_of(out.seen, i);
      const auto found = masses_.emplace(seen, 0.0);
      if (found.second) order_.push_back(i);
      found.first->second += belief_.weight(i);
    }
    size_t kept = 0;
    for (size_t first : order_) {
      if (kept == branches_.size()) branches_.emplace_back();
      Branch& branch = branches_[kept];
      branch.seen = out.seen.at(first);
      branch.mass = masses_[index_of(out.seen, first)];
      branch.weights.resize(count);
      model_.likelihood(branch.seen, reinterpret_cast<const std::byte*>(&action), out.next,
                        branch.weights);
      double total = 0;
      for (size_t i = 0; i < count; ++i) {
        double& w = branch.weights[i];
        w = out.ended[i] || !(w > 0) ? 0 : w * belief_.weight(i);
        total += w;
      }
      if (!(total > 0)) {  // the model's likelihood denies what its step showed
        for (size_t i = 0; i < count; ++i) branch.weights[i] = out.ended[i] ? 0 : belief_.weight(i);
        total = 0;
        for (double w : branch.weights) total += w;
      }
      for (double& w : branch.weights) w /= total;
      Branch* same = nullptr;
      for (size_t k = 0; k < kept && !same; ++k)
        if (distance(branches_[k].weights, branch.weights) <= options_.delta) same = &branches_[k];
      if (same)
        same->mass += branch.mass;
      else
        ++kept;
    }
    for (size_t k = 0; k < kept; ++k) {
      const Branch& branch = branches_[k];
      const int c = tree.add_belief(e, branch.seen);
      BoundTree::Belief& child = tree.belief(c);
      child.first = tree.states.count();
      child.count = count;
      child.share = share * branch.mass;
      tree.states.append(out.next);
      tree.weights.insert(tree.weights.end(), branch.weights.begin(), branch.weights.end());
    }
  }

  static double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
    return sum;
  }

  const Pomdp& model_;
  AdaopsOptions options_;
  size_t taken_ = 0;  // particles of a belief: fewer where time is short
  RngKey key_;
  Particles belief_;
  RecordBuffer states_;
  StepBuffers buffers_;
  std::vector<int> action_;
  std::vector<uint64_t> ids_;
  std::map<int, double> masses_;
  std::vector<size_t> order_;
  std::vector<Branch> branches_;
  uint64_t steps_ = 0;
};

}  // namespace

AdaopsOptions AdaopsOptions::read(Params& params) {
  AdaopsOptions o;
  o.particles =
      params.integer("tree_particles", o.particles, 1, 1'000'000, "in a belief of the tree");
  o.delta = params.real("delta", o.delta, 0, 2, "successors that differ by less are one");
  read_bound_options(params, o.bounds);
  return o;
}

Adaops::Adaops(const Pomdp& model, const AdaopsOptions& options, std::shared_ptr<const Guide> guide,
               std::shared_ptr<const MdpValue> values)
    : model_(model), options_(options), guide_(std::move(guide)), values_(std::move(values)) {
  require_finite(model, "adaops");
  require(model, Capability::kLikelihood, "adaops");
}

std::string Adaops::describe() const {
  return fmt::format("adaops({} particles, guide {})", options_.particles, guide_->name());
}

std::unique_ptr<Search> Adaops::start(ThreadPool* pool) const {
  return std::make_unique<BoundSearch>(*guide_, *values_, options_.bounds,
                                       std::make_unique<Packing>(model_, options_), pool);
}

}  // namespace penumbra::search

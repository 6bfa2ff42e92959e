#include "penumbra/policy/alpha_controller.h"

#include <cmath>
#include <map>
#include <queue>

#include "penumbra/policy/fnc.h"

namespace penumbra {
namespace {

class Unroller {
 public:
  Unroller(const AlphaPolicy& policy, int num_seen, int max_nodes)
      : policy_(policy), model_(policy.model()), filter_(model_), max_nodes_(max_nodes) {
    fsc_.num_observations = num_seen;
  }

  Fsc run() {
    fsc_.start = node(model_.start_part(), model_.start(), 1);
    while (!pending_.empty()) {
      const int from = pending_.top().node;
      const double weight = pending_.top().weight * model_.discount();
      pending_.pop();
      const Place place = places_[from];
      filter_.successors(place.part, place.belief.view(), fsc_.action[from], successors_);
      const auto branches = model_.branches(place.part, fsc_.action[from]);
      for (const MixedFilter::Successor& next : successors_) {
        const int part = branches[next.branch].part;
        const int seen = model_.sights(part, fsc_.action[from]).seen[next.outcome];
        const int to = node(part, next.belief, weight * next.chance);
        fsc_.set_edge(from, model_.seen_index(part, seen), to);
      }
    }
    return minimised(fsc_);
  }
  bool exact() const { return exact_; }

 private:
  struct Place {
    int part;
    HiddenBelief belief;
  };
  struct Pending {
    double weight;  // how likely, and how soon
    int node;
    bool operator<(const Pending& other) const {
      return weight != other.weight ? weight < other.weight : node > other.node;
    }
  };

  // The node of a belief, made when it is first met.
  int node(int part, const HiddenBelief& belief, double weight) {
    constexpr double kScale = 1 << 30;  // beliefs closer than this are one
    std::vector<int64_t> key{part};
    const HiddenView view = belief.view();
    for (size_t i = 0; i < view.size(); ++i)
      if (const int64_t rounded = std::llround(view.value[i] * kScale); rounded > 0)
        key.push_back((int64_t(view.at(i)) << 32) + rounded);
    if (const auto known = by_belief_.find(key); known != by_belief_.end()) return known->second;
    const int vector = policy_.best_vector(part, view);
    if (fsc_.num_nodes() >= max_nodes_)
      if (const auto known = by_vector_.find(vector); known != by_vector_.end()) {
        exact_ = false;
        return known->second;
      }
    const int made = fsc_.add_node(policy_.action(part, view));
    by_belief_.emplace(std::move(key), made);
    by_vector_.try_emplace(vector, made);
    places_.push_back({part, belief});
    pending_.push({weight, made});
    return made;
  }

  const AlphaPolicy& policy_;
  const MixedModel& model_;
  MixedFilter filter_;
  int max_nodes_;
  bool exact_ = true;
  Fsc fsc_;
  std::vector<Place> places_;  // of each node
  std::priority_queue<Pending> pending_;
  std::map<std::vector<int64_t>, int> by_belief_;
  std::map<int, int> by_vector_;
  std::vector<MixedFilter::Successor> successors_;
};

}  // namespace

Fsc alpha_controller(const AlphaPolicy& policy, int num_seen, int max_nodes, bool* exact) {
  Unroller unroller(policy, num_seen, max_nodes);
  Fsc fsc = unroller.run();
  if (exact) *exact = unroller.exact();
  return fsc;
}

}  // namespace penumbra

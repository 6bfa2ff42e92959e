#include "penumbra/search/exact_search.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/rng.h"

namespace penumbra::search {
namespace {
constexpr double kClosed = 1e-6;    // gap at the root, in values
constexpr double kSame = 1e-12;     // largest difference of probabilities of one belief
constexpr double kHashGrid = 1e10;  // probabilities are hashed to so many levels
constexpr size_t kMostEntries = 10'000'000;
constexpr size_t kLongestWay = 1000;
constexpr double kSweeps = 20;       // of the bounds, about
constexpr double kPrecision = 1e-4;  // of the bounds at the leaves, in ranges of rewards

uint64_t hash_of(int part, const HiddenBelief& hidden) {
  uint64_t hash = RngKey::mix(part + 1);
  const HiddenView view = hidden.view();
  for (size_t i = 0; i < view.size(); ++i)
    hash = RngKey::mix(hash ^ RngKey::mix(view.at(i) * 0x9e3779b97f4a7c15u +
                                          uint64_t(std::llround(view.value[i] * kHashGrid))));
  return hash;
}

bool same(const HiddenBelief& x, const HiddenBelief& y) {
  if (x.index != y.index || x.value.size() != y.value.size()) return false;
  for (size_t i = 0; i < x.value.size(); ++i)
    if (std::abs(x.value[i] - y.value[i]) > kSame) return false;
  return true;
}

}  // namespace

ExactSearch::ExactSearch(const Tabular& table, const Stop& stop)
    : model_(table),
      informed_(fast_informed_bound(model_, kPrecision, stop)),
      blind_(blind_bound(model_, kPrecision, stop)),
      filter_(model_) {
  find_or_add(model_.start_part(), model_.start());
  work_ = work_of_bounds(table.num_states, table.num_actions);
  // Beliefs that were taken for one differ a little, at every step again.
  const double range = std::max(std::abs(model_.max_reward()), std::abs(model_.min_reward()));
  const double most = range / (1 - model_.discount());
  margin_ = kSame * model_.largest_part() * most / (1 - model_.discount());
}

double ExactSearch::work_of_bounds(int states, int actions) {
  return kSweeps * states * actions;
}

double ExactSearch::lower() const {
  return model_.start_chance() * beliefs_[0].lower - margin_;
}

double ExactSearch::upper() const {
  return model_.start_chance() * beliefs_[0].upper + margin_;
}

bool ExactSearch::descend() {
  const double aim = beliefs_[0].upper - beliefs_[0].lower;
  if (aim < kClosed || entries_ > kMostEntries) return false;
  way_.assign(1, 0);
  work_ += 1;
  double chance = 1;
  for (int b = 0;;) {
    if (beliefs_[b].first_edge < 0) {
      expand(b);
      break;
    }
    b = next_belief(b, chance);
    chance *= model_.discount();
    if (b < 0 || way_.size() >= kLongestWay) break;
    way_.push_back(b);
    // What is left of the gap counts by the chance of coming here.
    if (chance * (beliefs_[b].upper - beliefs_[b].lower) < kClosed * aim) break;
  }
  for (size_t i = way_.size(); i-- > 0;)
    if (beliefs_[way_[i]].first_edge >= 0) update(way_[i]);
  return true;
}

int ExactSearch::next_belief(int b, double& chance) const {
  const Edge* best = &edges_[beliefs_[b].first_edge];
  for (const Edge *e = best, *end = e + model_.num_actions(); e < end; ++e)
    if (e->upper > best->upper) best = e;
  int next = -1;
  double widest = 0, chance_of_next = 0;
  for (size_t c = best->first_child; c < best->end_child; ++c) {
    const Belief& child = beliefs_[children_[c].belief];
    const double gap = children_[c].chance * (child.upper - child.lower);
    if (gap <= widest) continue;
    widest = gap;
    next = children_[c].belief;
    chance_of_next = children_[c].chance;
  }
  chance *= chance_of_next;
  return next;
}

void ExactSearch::expand(int b) {
  const int part = beliefs_[b].part;
  const HiddenBelief hidden = beliefs_[b].hidden;  // the list moves while it grows
  beliefs_[b].first_edge = static_cast<int>(edges_.size());
  for (int a = 0; a < model_.num_actions(); ++a) {
    Edge edge;
    edge.reward = dot(model_.reward(part, a), hidden.view());
    edge.first_child = children_.size();
    filter_.successors(part, hidden.view(), a, successors_);
    for (MixedFilter::Successor& next : successors_) {
      const int to = model_.branches(part, a)[next.branch].part;
      work_ += model_.size(to);
      children_.push_back({find_or_add(to, std::move(next.belief)), next.chance});
    }
    edge.end_child = children_.size();
    edges_.push_back(edge);
  }
}

int ExactSearch::find_or_add(int part, HiddenBelief hidden) {
  const uint64_t hash = hash_of(part, hidden);
  const auto known = known_.equal_range(hash);
  for (auto at = known.first; at != known.second; ++at)
    if (beliefs_[at->second].part == part && same(beliefs_[at->second].hidden, hidden))
      return at->second;
  const int added = num_beliefs();
  Belief& belief = beliefs_.emplace_back();
  belief.part = part;
  belief.hidden = std::move(hidden);
  value_leaf(belief);
  known_.emplace(hash, added);
  return added;
}

void ExactSearch::value_leaf(Belief& belief) {
  belief.lower = belief.upper = -HUGE_VAL;
  const HiddenView view = belief.hidden.view();
  for (int a = 0; a < model_.num_actions(); ++a) {
    belief.upper = std::max(belief.upper, dot(informed_[belief.part][a].data(), view));
    belief.lower = std::max(belief.lower, dot(blind_[belief.part][a].data(), view));
  }
  entries_ += view.size();
  work_ += 2.0 * static_cast<double>(view.size()) * model_.num_actions();
}

// Values only move towards each other.
void ExactSearch::update(int b) {
  double lower = -HUGE_VAL, upper = -HUGE_VAL;
  for (int a = 0; a < model_.num_actions(); ++a) {
    Edge& edge = edges_[beliefs_[b].first_edge + a];
    edge.lower = edge.upper = edge.reward;
    for (size_t c = edge.first_child; c < edge.end_child; ++c) {
      const Belief& child = beliefs_[children_[c].belief];
      edge.lower += model_.discount() * children_[c].chance * child.lower;
      edge.upper += model_.discount() * children_[c].chance * child.upper;
    }
    work_ += 2.0 * static_cast<double>(edge.end_child - edge.first_child);
    lower = std::max(lower, edge.lower);
    upper = std::max(upper, edge.upper);
  }
  beliefs_[b].lower = std::max(beliefs_[b].lower, lower);
  beliefs_[b].upper = std::min(beliefs_[b].upper, upper);
}

}  // namespace penumbra::search

#include "penumbra/solvers/pomcgs/conditional_plans.h"

#include <algorithm>

#include "penumbra/base/error.h"
#include "penumbra/solvers/pomcgs/rows.h"

namespace penumbra::pomcgs {

ConditionalPlans::ConditionalPlans(const Pomdp& model, const Supports& supports,
                                   const BlindPolicies& blind)
    : supports_(supports),
      num_blind_(blind.size()),
      discount_(model.facts().discount),
      worst_(static_cast<float>(least_value(model.facts()))) {}

void ConditionalPlans::borrow(int support, RowView row, int& known, int& plan, float& best) const {
  if (support < 0 || static_cast<size_t>(support) >= of_support_.size()) return;
  const std::vector<int>& plans = of_support_[support];
  auto compare = [&](int number) {
    const float v = dot(row, plans_[number - num_blind_].alpha.data());
    if (v <= best) return;
    best = v;
    plan = number;
  };
  if (supports_.closed())
    for (int number : blocks_.best(row, known)) compare(number);
  else
    for (size_t i = plans.size(); i-- > 0 && plans[i] > known;) compare(plans[i]);
  if (!plans.empty()) known = std::max(known, plans.back());
}

bool ConditionalPlans::news(int support, int known) const {
  if (support < 0 || static_cast<size_t>(support) >= of_support_.size()) return false;
  const std::vector<int>& plans = of_support_[support];
  return !plans.empty() && plans.back() > known;
}

float ConditionalPlans::value(const ConditionalPlan& plan, const Node& node) const {
  return dot(node.row(), plan.alpha.data());
}

const float* ConditionalPlans::alpha_on(int number, int support, std::vector<float>& room) const {
  const Support& s = supports_[support];
  if (number < num_blind_) return &s.blind[number * s.count()];
  const ConditionalPlan& plan = plans_[number - num_blind_];
  if (plan.support == support) return plan.alpha.data();
  const std::vector<int32_t>& known = supports_[plan.support].cells;
  room.assign(s.count(), worst_);
  for (size_t i = 0, j = 0; i < s.count() && j < known.size();) {
    if (s.cells[i] == known[j])
      room[i++] = plan.alpha[j++];
    else if (s.cells[i] < known[j])
      ++i;
    else
      ++j;
  }
  return room.data();
}

ConditionalPlan ConditionalPlans::make(const Node& node, const Choice& choice,
                                       const std::deque<Node>& nodes) const {
  const Transit& t = supports_.transit(node.support, choice.action);
  ConditionalPlan plan;
  plan.support = node.support;
  plan.action = choice.action;
  plan.alpha = t.reward;
  if (t.to < 0) return plan;
  const int fallback = choice.plan;
  const size_t n = supports_[t.to].count();
  std::vector<float> after(n, 0.0f), room;
  size_t e = 0;
  for (size_t k = 0; k < t.seen.size(); ++k) {
    while (e < choice.edges.size() && choice.edges[e].seen < t.seen[k]) ++e;
    const bool there = e < choice.edges.size() && choice.edges[e].seen == t.seen[k];
    const int next = there ? nodes[choice.edges[e].child].plan : fallback;
    plan.seen.push_back(t.seen[k]);
    plan.next.push_back(next);
    const float *alpha = alpha_on(next, t.to, room), *chance = &t.chance[k * n];
    for (size_t j = 0; j < n; ++j) after[j] += chance[j] * alpha[j];
  }
  const auto g = static_cast<float>(discount_);
  for (size_t i = 0; i < plan.alpha.size(); ++i)
    for (uint32_t k = t.row[i]; k < t.row[i + 1]; ++k)
      plan.alpha[i] += g * t.share[k] * after[t.next[k]];
  return plan;
}

double ConditionalPlans::bytes_of(const ConditionalPlan& plan) const {
  return static_cast<double>(sizeof(ConditionalPlan) +
                             (supports_.closed() && plan.listed ? 6 : 4) * plan.alpha.size() +
                             8 * plan.next.size() + 64);
}

int ConditionalPlans::add(ConditionalPlan plan) {
  const int number = count();
  bytes_ += bytes_of(plan);
  if (static_cast<size_t>(plan.support) >= of_support_.size())
    of_support_.resize(supports_.count());
  of_support_[plan.support].push_back(number);
  if (supports_.closed()) blocks_.add(number, plan.alpha);
  plans_.push_back(std::move(plan));
  return number;
}

void ConditionalPlans::prune(const std::deque<Node>& nodes) {
  std::vector<char> followed(plans_.size(), 0), listed(plans_.size(), 0), needed(plans_.size(), 0);
  auto mark = [&](std::vector<char>& which, int plan) {
    if (plan >= num_blind_) which[plan - num_blind_] = 1;
  };
  for (const Node& node : nodes) {
    mark(followed, node.plan);
    if (!node.choices.empty() || !supports_.closed()) mark(listed, node.plan);
    for (const Choice& c : node.choices) {
      mark(followed, c.plan);
      mark(listed, c.plan);
    }
  }
  // ConditionalPlans lead to older ones only.
  for (size_t i = plans_.size(); i-- > 0;) {
    needed[i] = needed[i] || followed[i];
    if (!needed[i]) continue;
    for (int next : plans_[i].next) mark(needed, next);
  }
  for (size_t i = 0; i < plans_.size(); ++i) {
    ConditionalPlan& plan = plans_[i];
    plan.listed = plan.listed && listed[i];
    if (!followed[i]) plan.alpha = {};
    if (!needed[i]) plan.seen = plan.next = {};
  }
  list_again();
}

void ConditionalPlans::list_again() {
  of_support_.assign(supports_.count(), {});
  blocks_.clear();
  bytes_ = 0;
  for (size_t i = 0; i < plans_.size(); ++i) {
    const ConditionalPlan& plan = plans_[i];
    bytes_ += bytes_of(plan);
    if (!plan.listed || plan.alpha.empty()) continue;
    const int number = num_blind_ + static_cast<int>(i);
    of_support_[plan.support].push_back(number);
    if (supports_.closed()) blocks_.add(number, plan.alpha);
  }
}

void ConditionalPlans::restore() {
  for (size_t i = 0; i < plans_.size(); ++i) {
    const ConditionalPlan& plan = plans_[i];
    for (int next : plan.next)
      if (next < 0 || next >= num_blind_ + static_cast<int>(i))
        throw Error("saved state: a plan leads nowhere");
    if (!plan.alpha.empty() && (plan.support < 0 || plan.support >= supports_.count() ||
                                supports_[plan.support].count() != plan.alpha.size()))
      throw Error("saved state: a plan does not fit its states");
  }
  list_again();
}

int ConditionalPlans::append(Fsc& fsc, std::vector<int>& number, int start) const {
  std::vector<int> open;
  auto number_of = [&](int plan) {
    if (plan < num_blind_) return plan;
    if (number[plan] < 0) {
      number[plan] = fsc.add_node(plans_[plan - num_blind_].action);
      open.push_back(plan);
    }
    return number[plan];
  };
  const int first = number_of(start);
  for (size_t i = 0; i < open.size(); ++i) {
    const ConditionalPlan& plan = plans_[open[i] - num_blind_];
    for (size_t k = 0; k < plan.seen.size(); ++k)
      fsc.set_edge(number[open[i]], plan.seen[k], number_of(plan.next[k]));
  }
  return first;
}

}  // namespace penumbra::pomcgs

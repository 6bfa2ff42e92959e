#include "penumbra/search/bound_search.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/moments.h"
#include "penumbra/belief/particles.h"

namespace penumbra::search {
namespace {
constexpr size_t kMostPlanEdges = 4'000'000;
constexpr size_t kFewestStates = 20;  // at the root, however short the time
constexpr double kRootShare = 0.4;    // of the time, that the root's expansion may take
constexpr size_t kFewestJudges = 100;
constexpr double kJudgeShare = 0.2, kMostReserved = 0.5;  // of the time
constexpr double kForget = 0.9;
constexpr double kUneven = 1.5;    // how much longer than the slowest lately an expansion may take
constexpr size_t kLeastWork = 64;  // of an expansion, in states and actions
}  // namespace

BoundSearch::BoundSearch(const Guide& guide, const MdpValue& values, const BoundOptions& options,
                         std::unique_ptr<Expander> expander, ThreadPool* pool)
    : guide_(guide),
      values_(values),
      width_(values.num_vectors()),
      options_(options),
      expander_(std::move(expander)),
      guide_values_(guide, pool),
      judge_rollouts_(guide.model(), guide.depth() + options.depth),
      tree_(guide.model().state_size(), guide.model().action_size(), guide.model().seen_size()),
      power_(options.depth + 2),
      moved_states_(guide.model().state_size()) {
  for (size_t d = 0; d < power_.size(); ++d)
    power_[d] = std::pow(guide.model().facts().discount, double(d));
}

Decision BoundSearch::plan(const Root& root, const Budget& budget, RngKey key) {
  Deadline deadline(budget);
  const uint64_t steps_before = steps();
  plan_judging(deadline);
  set_root(root, deadline, key.fold("scenarios"));
  Decision decision;
  while (gap(0) > options_.gap && has_room() && deadline.allows(decision.simulations)) {
    ++decision.simulations;
    if (!trial(deadline)) break;
  }
  const BoundTree::Belief& top = tree_.belief(0);
  const Fsc& fsc = guide_.fsc();
  int action = fsc.action[top.node];
  decision.node = guide_.is_blind() ? -1 : top.node;
  decision.by_search = top.best >= 0;
  if (decision.by_search && !guide_.is_blind() && options_.judges > 0) {
    Fsc with_plan = fsc;
    const int plan = append_plan(with_plan);
    decision.by_search = is_better(root, with_plan, plan, top.node, key.fold("judge"));
  }
  if (decision.by_search) std::memcpy(&action, tree_.action(top.best), sizeof action);
  decision.action.resize(sizeof action);
  std::memcpy(decision.action.data(), &action, sizeof action);
  decision.value = decision.by_search ? top.lower : top.guided;
  decision.lower = top.lower;
  decision.upper = top.upper;
  decision.beliefs = tree_.num_beliefs();
  for (int b = 0; b < tree_.num_beliefs(); ++b)
    decision.depth = std::max(decision.depth, tree_.belief(b).depth);
  decision.steps = steps() - steps_before;
  return decision;
}

uint64_t BoundSearch::steps() const {
  return expander_->steps() + guide_values_.steps() + judge_rollouts_.steps();
}

bool BoundSearch::has_room() const {
  const size_t bytes =
      tree_.states.count() * tree_.states.record_size() + tree_.ids.size() * sizeof(tree_.ids[0]) +
      tree_.weights.size() * sizeof(tree_.weights[0]) +
      tree_.origin.size() * sizeof(tree_.origin[0]) + tree_.upper.size() * sizeof(tree_.upper[0]) +
      tree_.guided.size() * sizeof(tree_.guided[0]) +
      tree_.num_beliefs() * sizeof(BoundTree::Belief) + tree_.num_edges() * sizeof(BoundTree::Edge);
  return static_cast<double>(bytes) < options_.megabytes * 1e6;
}

bool BoundSearch::descend() {
  return gap(0) > options_.gap && has_room() && trial(Deadline({.simulations = 1}));
}

bool BoundSearch::accepts(const Root& root, int action, RngKey key) {
  if (tree_.belief(0).num_edges == 0) expand(0);
  tree_.belief(0).best = tree_.belief(0).first_edge + action;
  Fsc with_plan = guide_.fsc();
  const int plan = append_plan(with_plan);
  return is_better(root, with_plan, plan, node(), key);
}

void BoundSearch::begin(const Root& root, const Budget& budget, RngKey key) {
  Deadline deadline(budget);
  plan_judging(deadline);
  set_root(root, deadline, key);
}

void BoundSearch::take_states(const Root& root, size_t most, RngKey key) {
  tree_.clear();
  tree_.states.clear();
  tree_.weights.clear();
  tree_.ids.clear();
  tree_.origin.clear();
  tree_.upper.clear();
  tree_.guided.clear();
  expander_->begin(root, most, tree_, key);
  choose_node(root, key.fold("node"));
}

// As many states as the time lasts for. How long that is a few of them show first, unless there
// will be hardly more: the last decision's pace is no guide after an episode has begun anew.
void BoundSearch::set_root(const Root& root, const Deadline& deadline, RngKey key) {
  size_t most = -1;
  if (deadline.limit() > 0 && std::isfinite(deadline.limit())) {
    auto lasts_for = [&] {
      const double pace = root_pace_ * guide_.model().facts().num_actions;
      return pace > 0 ? kRootShare * deadline.limit() / pace : 1e9;
    };
    if (lasts_for() > 4 * kFewestStates) {
      take_states(root, kFewestStates, key);
      expand_timed(0, deadline);
    }
    most = std::max(kFewestStates, static_cast<size_t>(lasts_for()));
  }
  take_states(root, most, key);
  pace_ = root_pace_;
  root_pace_ *= kForget;  // one slow decision is no reason to search less for ever
  BoundTree::Belief& b = tree_.belief(0);
  evaluate_states(0, b.count);
  b.lower = b.guided;
  b.least_upper = upper_of(0, b.count);
  b.upper = std::max(b.lower, b.least_upper - options_.price);
}

// False: nothing can be gained by another one.
bool BoundSearch::trial(const Deadline& deadline) {
  const double aim = options_.xi * gap(0);
  bool expanded = false;
  int b = 0;
  for (;;) {
    if (tree_.belief(b).depth >= options_.depth || blocked(b)) {
      if (options_.keep_least) close(b);
      break;
    }
    if (tree_.belief(b).num_edges == 0) {
      if (!has_time_for(b, deadline)) break;
      expand_timed(b, deadline);
      expanded = true;
      update(b);
      if (!options_.deep) break;
    }
    const int next = next_child(b);
    if (next < 0 || gap(next) <= tree_.belief(next).share * aim) break;
    b = next;
  }
  back_up(b);
  // A trial that ends where it could not expand anything would come the same way again.
  return expanded || tree_.belief(b).upper <= tree_.belief(b).lower || gap(0) < aim;
}

void BoundSearch::expand_timed(int b, const Deadline& deadline) {
  const double start = deadline.seconds();
  expand(b);
  const double pace = (deadline.seconds() - start) / static_cast<double>(work(b));
  pace_ = std::max(kForget * pace_, pace);
  if (b == 0) root_pace_ = std::max(kForget * root_pace_, pace);
}

size_t BoundSearch::work(int b) const {
  return std::max(kLeastWork, tree_.belief(b).count * guide_.model().facts().num_actions);
}

// The root is expanded if at all possible: without it there is no search.
bool BoundSearch::has_time_for(int b, const Deadline& deadline) const {
  const double pace = (b == 0 ? 1 : kUneven) * pace_;
  return deadline.seconds() + pace * static_cast<double>(work(b)) < deadline.limit();
}

// Below a belief that cannot repay the price of so many actions there is nothing to find.
bool BoundSearch::blocked(int b) const {
  if (options_.price <= 0) return false;
  int distance = 1;
  for (int x = b; x > 0; x = tree_.edge(tree_.belief(x).edge).belief, ++distance)
    if (scale(x) * tree_.belief(x).least_upper - tree_.belief(x).guided <=
        options_.price * distance)
      return true;
  return false;
}

void BoundSearch::close(int b) {
  BoundTree::Belief& belief = tree_.belief(b);
  belief.lower = belief.upper = belief.guided;
  belief.best = -1;
}

int BoundSearch::next_child(int b) const {
  const BoundTree::Belief& from = tree_.belief(b);
  int best_edge = -1;
  for (int e = from.first_edge; e >= 0; e = tree_.edge(e).sibling)
    if (best_edge < 0 || tree_.edge(e).upper > tree_.edge(best_edge).upper) best_edge = e;
  int best = -1;
  double most = 0;
  const double aim = options_.xi * gap(0);
  for (int c = tree_.edge(best_edge).first_child; c >= 0; c = tree_.belief(c).sibling) {
    const double excess = gap(c) - tree_.belief(c).share * aim;
    if (best >= 0 && excess <= most) continue;
    best = c;
    most = excess;
  }
  return best;
}

void BoundSearch::expand(int b) {
  expander_->expand(tree_, b);
  evaluate_children(b);
}

// The guide and V_mdp at all new beliefs at once.
void BoundSearch::evaluate_children(int b) {
  const BoundTree::Belief from = tree_.belief(b);
  int children = 0;
  size_t begin = 0;
  GuideQuery query;
  std::vector<int> candidates;
  int first_child = -1;
  for (int e = from.first_edge; e >= 0; e = tree_.edge(e).sibling) {
    int action;
    std::memcpy(&action, tree_.action(e), sizeof action);
    for (int c = tree_.edge(e).first_child; c >= 0; c = tree_.belief(c).sibling) {
      if (first_child < 0) {
        first_child = c;
        begin = tree_.belief(c).first;
      }
      int seen;
      std::memcpy(&seen, tree_.seen(c), sizeof seen);
      guide_.after(from.node, action, seen, candidates);
      query.add(tree_.belief(c).count, candidates);
      ++children;
    }
  }
  if (children == 0) return;
  const size_t n = query.begin.back();
  query.states = tree_.states.sub(begin, n);
  if (!tree_.weights.empty())
    query.weights = std::span<const double>(tree_.weights).subspan(begin, n);
  evaluate_states(begin, n);
  guide_children(query, begin);
  const double discount = power_[tree_.belief(b).depth + 1];
  for (int k = 0; k < children; ++k) {
    BoundTree::Belief& child = tree_.belief(first_child + k);
    const double weight = child.share * discount;
    child.node = node_of_child_[k];
    child.least_upper = upper_of(child.first, child.count);
    // Networks may say too much; rollouts may have been lucky.
    const double most = by_networks() ? child.least_upper : HUGE_VAL;
    child.guided = child.lower = weight * std::min(lower_of_child_[k], most);
    child.upper = std::max(child.lower, weight * child.least_upper - options_.price);
  }
  for (int e = from.first_edge; e >= 0; e = tree_.edge(e).sibling) {
    BoundTree::Edge& edge = tree_.edge(e);
    edge.reward -= options_.price;
    edge.lower = edge.upper = edge.reward;
    for (int c = edge.first_child; c >= 0; c = tree_.belief(c).sibling) {
      edge.lower += tree_.belief(c).lower;
      edge.upper += tree_.belief(c).upper;
    }
  }
}

// Of a belief, by its states.
double BoundSearch::upper_of(size_t begin, size_t count) const {
  double most = 0;
  for (size_t v = 0; v < width_; ++v) {
    double sum = 0, total = 0;
    for (size_t i = begin; i < begin + count; ++i) {
      const double w = tree_.weights.empty() ? 1 : tree_.weights[i];
      sum += w * tree_.upper[i * width_ + v];
      total += w;
    }
    const double mean = total > 0 ? sum / total : 0;
    if (v == 0 || mean > most) most = mean;
  }
  return most;
}

// What is to be known of the states from `begin` on. Those that nothing moved are worth what they
// were.
void BoundSearch::evaluate_states(size_t begin, size_t count) {
  const size_t nodes = keeps_guided() ? guide_.fsc().num_nodes() : 0;
  tree_.upper.resize((begin + count) * width_);
  tree_.guided.resize((begin + count) * nodes);
  moved_.clear();
  moved_ids_.clear();
  const size_t size = tree_.states.record_size();
  for (size_t i = begin; i < begin + count; ++i) {
    const size_t from = tree_.origin.empty() ? i : tree_.origin[i];
    if (from < begin && same_record(tree_.states.at(i), tree_.states.at(from), size)) {
      std::copy_n(tree_.upper.data() + from * width_, width_, tree_.upper.data() + i * width_);
      std::copy_n(tree_.guided.data() + from * nodes, nodes, tree_.guided.data() + i * nodes);
      continue;
    }
    moved_.push_back(i);
    if (nodes > 0) moved_ids_.push_back(tree_.ids[i]);
  }
  moved_states_.resize(moved_.size());
  for (size_t k = 0; k < moved_.size(); ++k) moved_states_.copy_from(k, tree_.states.at(moved_[k]));
  moved_upper_.resize(moved_.size() * width_);
  values_.vectors(moved_states_, moved_upper_);
  moved_guided_.resize(moved_.size() * nodes);
  if (nodes > 0) guide_values_.of_every_node(moved_states_, moved_ids_, moved_guided_);
  for (size_t k = 0; k < moved_.size(); ++k) {
    std::copy_n(moved_upper_.data() + k * width_, width_, tree_.upper.data() + moved_[k] * width_);
    std::copy_n(moved_guided_.data() + k * nodes, nodes, tree_.guided.data() + moved_[k] * nodes);
  }
}

// Scenarios keep their random numbers, so a blind policy is worth the same from the same state.
bool BoundSearch::keeps_guided() const {
  return options_.guided && guide_.is_blind() && !tree_.ids.empty();
}

// Of anything that may happen.
double BoundSearch::least_value() const {
  const Facts& facts = guide_.model().facts();
  return std::min(0.0, double(facts.min_reward)) / (1 - facts.discount);
}

void BoundSearch::best_blind(const GuideQuery& query, size_t begin) {
  const int nodes = guide_.fsc().num_nodes();
  std::vector<double> sum(nodes);
  for (int g = 0; g < query.count(); ++g) {
    std::fill(sum.begin(), sum.end(), 0);
    const float* guided = tree_.guided.data() + (begin + query.begin[g]) * nodes;
    const size_t count = query.begin[g + 1] - query.begin[g];
    for (size_t i = 0; i < count; ++i)
      for (int n = 0; n < nodes; ++n) sum[n] += guided[i * nodes + n];
    const auto best = std::max_element(sum.begin(), sum.end());
    lower_of_child_[g] = *best / static_cast<double>(count);
    node_of_child_[g] = static_cast<int>(best - sum.begin());
  }
}

void BoundSearch::guide_children(const GuideQuery& query, size_t begin) {
  lower_of_child_.resize(query.count());
  node_of_child_.resize(query.count());
  if (!options_.guided) {
    std::fill(lower_of_child_.begin(), lower_of_child_.end(), least_value());
    std::fill(node_of_child_.begin(), node_of_child_.end(), 0);
    return;
  }
  if (keeps_guided()) return best_blind(query, begin);
  if (by_networks()) {
    guide_.by_networks(query.states, query.weights, query.begin, 1, node_of_child_,
                       lower_of_child_);
    for (int k = 0; k < query.count(); ++k)
      if (node_of_child_[k] < 0) node_of_child_[k] = query.candidates[query.candidate_begin[k]];
    return;
  }
  if (!options_.networks || !guide_.has_networks())
    return guide_values_.best(query, lower_of_child_, node_of_child_);
  // Functions that were fitted where a node is visited say little elsewhere: they only propose.
  guide_.by_networks(query.states, query.weights, query.begin, 1, node_of_child_, lower_of_child_);
  GuideQuery more;
  more.states = query.states;
  more.weights = query.weights;
  std::vector<int> candidates;
  for (int k = 0; k < query.count(); ++k) {
    candidates.assign(query.candidates.begin() + static_cast<long>(query.candidate_begin[k]),
                      query.candidates.begin() + static_cast<long>(query.candidate_begin[k + 1]));
    if (node_of_child_[k] >= 0) candidates.push_back(node_of_child_[k]);
    more.add(query.begin[k + 1] - query.begin[k], candidates);
  }
  guide_values_.best(more, lower_of_child_, node_of_child_);
}

// Whether leaves are worth what the networks say: without rollouts.
bool BoundSearch::by_networks() const {
  return options_.networks && guide_.networks_are_a_plan();
}

// A belief by its edges.
void BoundSearch::update(int b) {
  BoundTree::Belief& belief = tree_.belief(b);
  double lower = belief.guided, upper = belief.guided;
  belief.best = -1;
  for (int e = belief.first_edge; e >= 0; e = tree_.edge(e).sibling) {
    const BoundTree::Edge& edge = tree_.edge(e);
    upper = std::max(upper, edge.upper);
    if (edge.lower <= lower) continue;
    lower = edge.lower;
    belief.best = e;
  }
  belief.lower = lower;
  upper = std::max(upper, lower);
  belief.upper = options_.keep_least ? std::min(upper, std::max(belief.upper, lower)) : upper;
}

void BoundSearch::back_up(int b) {
  if (tree_.belief(b).num_edges > 0) update(b);
  while (b > 0) {
    BoundTree::Edge& edge = tree_.edge(tree_.belief(b).edge);
    edge.lower = edge.upper = edge.reward;
    for (int c = edge.first_child; c >= 0; c = tree_.belief(c).sibling) {
      edge.lower += tree_.belief(c).lower;
      edge.upper += tree_.belief(c).upper;
    }
    b = edge.belief;
    update(b);
  }
}

int BoundSearch::append_plan(Fsc& fsc, std::vector<int>* beliefs) const {
  if (tree_.belief(0).best < 0) return -1;
  std::vector<int> made;
  const int first = append(0, fsc, made);
  if (beliefs) *beliefs = std::move(made);
  return first;
}

int BoundSearch::append(int b, Fsc& fsc, std::vector<int>& beliefs) const {
  const BoundTree::Belief& belief = tree_.belief(b);
  if (belief.best < 0 || beliefs.size() * fsc.num_observations >= kMostPlanEdges)
    return belief.node;
  int action;
  std::memcpy(&action, tree_.action(belief.best), sizeof action);
  const int added = fsc.add_node(action);
  beliefs.push_back(b);
  // What was not met in the search is left to the guide.
  for (int o = 0; o < fsc.num_observations; ++o)
    fsc.set_edge(added, o, guide_.follow(belief.node, action, o));
  for (int c = tree_.edge(belief.best).first_child; c >= 0; c = tree_.belief(c).sibling) {
    int seen;
    std::memcpy(&seen, tree_.seen(c), sizeof seen);
    const int target = append(c, fsc, beliefs);
    fsc.set_edge(added, seen, target);
  }
  return added;
}

// The guide's node at the root: the best on the root's states; where a controller goes along and
// its node is sure, another one must be clearly better.
void BoundSearch::choose_node(const Root& root, RngKey key) {
  BoundTree::Belief& b = tree_.belief(0);
  if (!options_.guided) {
    b.node = 0;
    b.guided = least_value();
    return;
  }
  std::vector<int> candidates;
  Root sampled = root;
  sampled.states = tree_.states_of(0);
  sampled.weights = tree_.weights;
  guide_.at_root(sampled, candidates);
  const int own = candidates[0];
  GuideQuery query;
  query.states = tree_.states_of(0);
  query.weights = tree_.weights;
  query.add(b.count, candidates);
  guide_values_.best(query, {&b.guided, 1}, {&b.node, 1});
  if (guide_.is_blind() || root.other >= 0 || b.node == own) return;
  if (is_better(root, guide_.fsc(), b.node, own, key)) return;
  query.candidates = {own};
  query.candidate_begin = {0, 1};
  guide_values_.best(query, {&b.guided, 1}, {&b.node, 1});
}

void BoundSearch::plan_judging(Deadline& deadline) {
  judges_ = static_cast<size_t>(options_.judges);
  const double limit = deadline.limit();
  if (guide_.is_blind() || !(limit > 0) || !std::isfinite(limit)) return;
  const double most = judge_pace_ > 0 ? kJudgeShare * limit / judge_pace_ : 0;
  if (most < static_cast<double>(judges_))
    judges_ = std::max(size_t(most), std::min(kFewestJudges, judges_));
  deadline.reserve(std::min(kMostReserved * limit, judge_pace_ * static_cast<double>(judges_)));
}

// On fresh states of the belief: what was chosen because it did well must do so again.
bool BoundSearch::is_better(const Root& root, const Fsc& fsc, int challenger, int champion,
                            RngKey key) {
  const size_t n = judges_;
  if (n == 0) return false;
  const Deadline watch({});
  const RecordBuffer states = resample(root.states, root.weights, n, key);
  const std::vector<float> with = judge_rollouts_.returns(fsc, challenger, states, key),
                           without = judge_rollouts_.returns(fsc, champion, states, key);
  judge_pace_ = std::max(kForget * judge_pace_, watch.seconds() / static_cast<double>(n));
  Moments difference;
  for (size_t i = 0; i < n; ++i) difference.add(double(with[i]) - without[i]);
  const Estimate gain = difference.estimate();
  return gain.mean > options_.accept_z * gain.standard_error;
}

std::vector<TreeRow> BoundSearch::rows(int levels, int most) const {
  std::vector<TreeRow> out;
  if (tree_.num_beliefs() == 0 || most <= 0) return out;
  const Facts& facts = guide_.model().facts();
  auto value = [&](double weighted, int b) { return scale(b) > 0 ? weighted / scale(b) : 0; };
  auto visit = [&](auto&& self, int b, int level, const std::string& label, double share) -> void {
    const BoundTree::Belief& belief = tree_.belief(b);
    out.push_back({level, label, share, value(belief.lower, b), value(belief.lower, b),
                   value(belief.upper, b), false});
    if (level + 1 > levels || static_cast<int>(out.size()) >= most) return;
    std::vector<int> edges;
    for (int e = belief.first_edge; e >= 0; e = tree_.edge(e).sibling) edges.push_back(e);
    std::stable_sort(edges.begin(), edges.end(),
                     [&](int x, int y) { return tree_.edge(x).lower > tree_.edge(y).lower; });
    for (int e : edges) {
      if (static_cast<int>(out.size()) >= most) return;
      const BoundTree::Edge& edge = tree_.edge(e);
      int action;
      std::memcpy(&action, tree_.action(e), sizeof action);
      out.push_back({level + 1, facts.action_name(action), share, value(edge.lower, b),
                     value(edge.lower, b), value(edge.upper, b), e == belief.best});
      if (level + 2 > levels) continue;
      for (int c = edge.first_child; c >= 0; c = tree_.belief(c).sibling)
        if (static_cast<int>(out.size()) < most)
          self(self, c, level + 2, guide_.model().describe_seen(tree_.seen(c)),
               tree_.belief(c).share / std::max(belief.share, 1e-300));
    }
  };
  visit(visit, 0, 0, "now", 1);
  return out;
}

}  // namespace penumbra::search

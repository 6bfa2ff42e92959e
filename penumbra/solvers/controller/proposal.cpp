#include "penumbra/solvers/controller/proposal.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "penumbra/solvers/controller/action_proposals.h"
#include "penumbra/solvers/controller/paired_gain.h"
#include "penumbra/solvers/controller/search_plan.h"

namespace penumbra::controller {

namespace {

constexpr int kOnTheWay = 3;  // actions of a box that are tried behind the departure

// A belief of the excursion, and what was done there.
struct Point {
  RecordBuffer states;
  int action = -1, seen = -1;
  int node = -1;  // that the controller executes here, if it can be told
};

class Maker {
 public:
  Maker(const ProposalContext& context, RngKey key, RngKey fit_key)
      : c_(context),
        facts_(context.model.facts()),
        key_(key),
        fit_key_(fit_key),
        depth_(context.options.depth(facts_)),
        fsc_(context.controller),
        stock_(context.stock ? std::make_unique<ActionStock>(*context.stock) : nullptr),
        model_(stock_ ? *stock_ : context.model),
        rollouts_(model_, depth_),
        backup_(model_, context.options.backup, context.candidates, rollouts_, stock_.get()) {
    p_.first_new = fsc_.num_nodes();
    if (stock_) p_.first_row = stock_->count();
  }

  Proposal make(const Excursion& excursion) {
    p_.burst = excursion.burst;
    {
      const PhaseTimer timer(p_.work, Phase::kCollect);
      walk(excursion);
    }
    if (excursion.burst == Burst::kSearch)
      search();
    else
      back_up_excursion();
    if (p_.improved && refreshing()) back_up_prefix();
    if (p_.abandoned) return std::move(p_);
    if (p_.improved || c_.options.keep_excursions) keep_new_nodes();
    if (stock_) {
      const std::span<const float> rows = stock_->rows(p_.first_row, stock_->count());
      p_.new_rows.assign(rows.begin(), rows.end());
    }
    p_.work.simulator_steps += static_cast<double>(rollouts_.steps() + explorer_->planned_steps());
    p_.work += backup_.work();
    return std::move(p_);
  }

 private:
  bool stopped() { return p_.abandoned = p_.abandoned || (c_.stop && c_.stop()); }

  // Chooses where to depart: uniform over the steps of an episode of the controller.
  int departure() {
    RecordBuffer state(model_.state_size(), 1);
    model_.sample_initial({key_.fold("truth")}, state);
    StepBuffers buffers(model_, 1);
    int node = fsc_.start, steps = 0;
    for (; steps < depth_; ++steps) {
      const StepResults out = step_truth(state, fsc_.action[node], steps, buffers);
      if (out.ended[0]) break;
      node = fsc_.next(node, index_of(out.seen, 0));
      state.copy_from(0, out.next.at(0));
    }
    return static_cast<int>(Rng(key_.fold("departure"), 0).below(steps + 1));
  }

  StepResults step_truth(const RecordBuffer& state, int action, int t, StepBuffers& buffers) {
    const StepResults out = buffers.results(1);
    model_.step(state, std::span<const int>(&action, 1), {key_.fold("truth step").fold(t)}, out);
    ++p_.work.simulator_steps;
    return out;
  }

  // Follows the controller to the departure and explores from there, with beliefs along the way.
  void walk(const Excursion& excursion) {
    const RoundsOptions& o = c_.options;
    const int depart = excursion.from_start ? 0 : departure();
    Rng rng(key_.fold("burst"), 0);
    const double drawn = -o.burst_length * std::log(1 - rng.uniform());
    const int length = excursion.burst == Burst::kSearch ? 0
                       : excursion.whole_length          ? whole_length()
                                                         : 1 + static_cast<int>(drawn);
    explorer_.emplace(model_, c_.values, o.explore_states, o.belief.use_likelihood, stock_.get());
    const size_t samples = o.backup.particles(facts_.num_observations);
    PathBelief belief(model_, o.belief, key_.fold("belief"));
    RecordBuffer truth(model_.state_size(), 1);
    model_.sample_initial({key_.fold("truth")}, truth);
    StepBuffers buffers(model_, 1);
    int node = fsc_.start, last = -1;
    for (int t = 0; t < o.max_path && !stopped(); ++t) {
      const RngKey key = key_.fold("walk").fold(t);
      const bool exploring = t >= depart;
      if (t == depart) p_.old_node = node;
      Point point;
      if (exploring || refreshing()) point.states = belief.sample(samples, key);
      const bool last_point = exploring && t - depart >= length;
      const bool following = !exploring || p_.burst == Burst::kFollow;
      if (following || t == depart) point.node = node;
      if (!last_point) {
        point.action =
            following ? fsc_.action[node] : explorer_->choose(belief, p_.burst, last, key);
        if (exploring) last = point.action;
      }
      if (last_point) {
        points_.push_back(std::move(point));
        return;
      }
      const StepResults out = step_truth(truth, point.action, t, buffers);
      point.seen = index_of(out.seen, 0);
      if (!exploring) p_.prefix.push_back({node, point.action, point.seen, -1});
      if (following) node = fsc_.next(node, point.seen);
      const int action = point.action, seen = point.seen;
      (exploring ? points_ : prefix_points_).push_back(std::move(point));
      if (out.ended[0]) return;
      truth.copy_from(0, out.next.at(0));
      if (!belief.advance(action, seen, key)) return;
    }
  }

  // Where the discount has made what follows small; most episodes end before.
  int whole_length() const {
    constexpr double kSmall = 0.05;
    return static_cast<int>(std::log(kSmall) / std::log(std::max(facts_.discount, 1e-9))) + 1;
  }

  bool refreshing() const {
    if (c_.options.refresh != "auto") return c_.options.refresh == "yes";
    return facts_.num_observations > kFewObservations ||
           facts_.num_actions <= c_.options.all_actions_up_to;
  }

  // At the departure every action is tried; on the way there and back those that matter.
  std::vector<int> actions_at(size_t i, int current) {
    std::vector<int> actions;
    if (stock_) {
      actions.push_back(points_[i].action);
      if (current >= 0) actions.push_back(fsc_.action[current]);
      return proposed_actions(*stock_, fsc_, std::move(actions),
                              i == 0 ? c_.options.action_proposals : kOnTheWay,
                              key_.fold("actions").fold(i));
    }
    if (i == 0 || facts_.num_actions <= c_.options.all_actions_up_to) {
      actions.resize(facts_.num_actions);
      std::iota(actions.begin(), actions.end(), 0);
    } else {
      actions.push_back(points_[i].action);
      if (current >= 0 && fsc_.action[current] != points_[i].action)
        actions.push_back(fsc_.action[current]);
    }
    return actions;
  }

  BackupResult back_up(const Point& point, int current, std::span<const int> actions,
                       const Hint& hint, double z, RngKey key) {
    ++p_.backups;
    BackupResult r = backup_.run(fsc_, point.states, current, actions, hint, z, key);
    if (r.is_new) {
      backup_.add_recent(r.node, r.training.states);
      training_.push_back(std::move(r.training));
      kept_.push_back(r.node);
    }
    return r;
  }

  void back_up_excursion() {
    if (p_.old_node < 0) return;  // the episode ended before the departure
    int child = -1;
    for (size_t i = points_.size(); i-- > 0 && !stopped();) {
      const Point& point = points_[i];
      const RngKey key = key_.fold("backup").fold(i);
      const int current = point.node;
      if (point.action < 0) {
        child = backup_.best_existing(fsc_, point.states, current, key).node;
        ++p_.backups;
        continue;
      }
      const Hint hint{point.action, point.seen, child};
      const double z = i == 0 ? c_.options.accept_z : c_.options.chain_z;
      const BackupResult r = back_up(point, current, actions_at(i, current), hint, z, key);
      child = r.node;
      if (i > 0) continue;
      p_.gain = r.gain;
      p_.gain_error = r.gain_error;
      p_.new_node = r.node;
      p_.improved = r.node != p_.old_node && r.gain > z * r.gain_error;
      p_.judges = RecordBuffer(model_.state_size());
      const size_t judges = std::min<size_t>(512, point.states.count());
      p_.judges.append(point.states.sub(point.states.count() - judges, judges));
    }
  }

  // Plans from the departure by a tree search between the controller and V_mdp, and takes all of
  // the plan, if it beats the controller on fresh particles.
  void search() {
    if (p_.old_node < 0 || points_.empty() || stopped()) return;
    const PhaseTimer timer(p_.work, Phase::kCollect);
    const ConstRecords states = points_[0].states;
    const size_t judges = std::min<size_t>(512, states.count / 2);
    SearchPlan plan = search_plan(model_, c_.values, c_.options, fsc_, p_.old_node,
                                  states.sub(0, states.count - judges), key_.fold("search"));
    ++p_.backups;
    p_.work.simulator_steps += plan.steps;
    p_.judges = RecordBuffer(model_.state_size());
    p_.judges.append(states.sub(states.count - judges, judges));
    if (plan.first < 0) return;
    const auto with = returns_of(plan.first, p_.judges),
               without = returns_of(p_.old_node, p_.judges);
    const PairedGain gain = paired_gain(with, without);
    p_.gain = gain.mean;
    p_.gain_error = gain.error;
    p_.new_node = plan.first;
    p_.improved = gain.mean > std::max(kLeastGain, c_.options.accept_z * gain.error);
    training_ = std::move(plan.training);
    for (int n = p_.first_new; n < fsc_.num_nodes(); ++n) {
      training_[n - p_.first_new].returns = returns_of(n, training_[n - p_.first_new].states);
      if (p_.improved) kept_.push_back(n);
    }
  }

  std::vector<float> returns_of(int node, const RecordBuffer& states) {
    return rollouts_.returns(fsc_, node, states, key_.fold("pool"));
  }

  // With many observations a new node is worth finding from more than the one history that led to
  // it: the beliefs on the way are backed up too.
  void back_up_prefix() {
    int child = p_.new_node;
    for (size_t t = p_.prefix.size(); t-- > 0 && !stopped();) {
      Proposal::Step& step = p_.prefix[t];
      std::vector<int> actions{step.action};
      if (!stock_ && facts_.num_actions <= c_.options.all_actions_up_to) {
        actions.resize(facts_.num_actions);
        std::iota(actions.begin(), actions.end(), 0);
      }
      const Hint hint{step.action, step.seen, child};
      const BackupResult r = back_up(prefix_points_[t], step.node, actions, hint,
                                     c_.options.chain_z, key_.fold("prefix").fold(t));
      if (r.node == step.node) return;
      step.replacement = child = r.node;
    }
  }

  // Drops the new nodes that nothing uses and fits the rest.
  void keep_new_nodes() {
    const int first = p_.first_new, observations = fsc_.num_observations;
    std::vector<char> used(fsc_.num_nodes() - first, 0);
    std::vector<int> open;
    if (p_.improved) {
      open.push_back(p_.new_node);
      for (const auto& step : p_.prefix) open.push_back(step.replacement);
    } else {
      open = kept_;
    }
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (node < first || used[node - first]) continue;
      used[node - first] = 1;
      for (int o = 0; o < observations; ++o) open.push_back(fsc_.next(node, o));
    }
    std::vector<int> number(used.size(), -1);
    int count = 0;
    for (size_t i = 0; i < used.size(); ++i)
      if (used[i]) number[i] = first + count++;
    auto renamed = [&](int node) { return node < first ? node : number[node - first]; };
    for (size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      const int node = first + static_cast<int>(i);
      p_.actions.push_back(fsc_.action[node]);
      for (int o = 0; o < observations; ++o) p_.edges.push_back(renamed(fsc_.next(node, o)));
      fit_node(node, training_[i]);
    }
    if (p_.new_node >= 0) p_.new_node = renamed(p_.new_node);
    for (auto& step : p_.prefix)
      if (step.replacement >= 0) step.replacement = renamed(step.replacement);
  }

  void fit_node(int node, const TrainingSet& own) {
    std::vector<float> pool_returns;
    {
      const PhaseTimer timer(p_.work, Phase::kGenerate);
      pool_returns = returns_of(node, c_.candidates.pool_states());
    }
    const PhaseTimer timer(p_.work, Phase::kTrain);
    const RngKey key = fit_key_.fold("fit").fold(p_.fitted.size());
    p_.fitted.push_back(c_.candidates.fit(own, pool_returns, key, nullptr));
  }

  const ProposalContext& c_;
  const Facts& facts_;
  RngKey key_, fit_key_;
  int depth_;
  Fsc fsc_;                             // the controller and the nodes made here
  std::unique_ptr<ActionStock> stock_;  // where actions are a box: all, and those made here
  const Pomdp& model_;
  Rollouts rollouts_;
  VerifiedBackup backup_;
  std::optional<Explorer> explorer_;
  Proposal p_;
  std::vector<int> kept_;              // new nodes
  std::vector<TrainingSet> training_;  // of each of them
  std::vector<Point> points_;          // from the departure on
  std::vector<Point> prefix_points_;   // before it, when refreshing
};

}  // namespace

Proposal make_proposal(const ProposalContext& context, const Excursion& excursion, RngKey key,
                       RngKey fit_key) {
  return Maker(context, key, fit_key).make(excursion);
}

}  // namespace penumbra::controller

#include "penumbra/solvers/mcvi/continuous_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/base/share_out.h"
#include "penumbra/belief/particle_filter.h"
#include "penumbra/solvers/anytime.h"
#include "penumbra/solvers/best_so_far.h"
#include "penumbra/solvers/islands.h"
#include "penumbra/solvers/mcvi/first_actions.h"

namespace penumbra::mcvi {
namespace {

constexpr int kSketchWidth = 64;
constexpr size_t kRootStates = 4096;  // of b0, where actions are a box: gains there are small
constexpr double kEarly = 6;          // mean step of a departure, where actions are a box

template <class Archive>
void archive_controller(Archive& a, LikelihoodController& c) {
  // A negative number announces real actions; without them bytes are as they always were.
  uint64_t count = c.nodes.size();
  int start = has_real_actions(c) ? -1 - c.start : c.start;
  a(start, count);
  c.start = start < 0 ? -1 - start : start;
  c.nodes.resize(count);
  for (auto& shared : c.nodes) {
    LikelihoodNode node;
    if constexpr (!Archive::kLoading) node = *shared;
    Particles samples;
    samples.states = node.samples;
    a(node.action, node.successor, node.value, samples);
    if (start < 0) a(node.real_action);
    if constexpr (Archive::kLoading) {
      node.samples = std::move(samples.states);
      shared = std::make_shared<LikelihoodNode>(std::move(node));
    }
  }
}

// A likely way to improve: new nodes, the last of which may be a better start.
struct Proposal {
  std::vector<std::shared_ptr<const LikelihoodNode>> nodes;  // numbered from `first` on
  std::vector<std::vector<float>> origins;
  int first = 0, start = -1;
  bool improved = false, abandoned = false;
  uint64_t backups = 0, steps = 0;

  template <class Archive>
  void archive(Archive& a) {
    LikelihoodController own;
    own.nodes = nodes;
    archive_controller(a, own);
    nodes = std::move(own.nodes);
    a(origins, first, start, improved, abandoned, backups, steps);
  }
};

struct Held {
  LikelihoodController controller;
  template <class Archive>
  void archive(Archive& a) {
    archive_controller(a, controller);
  }
};

class ContinuousRounds final : public Island {
 public:
  ContinuousRounds(const Pomdp& model, const ContinuousOptions& o, const MdpValue& values,
                   RngKey root, ThreadPool& pool)
      : model_(model),
        first_(model, o.action_stock, o.actions),
        o_(o),
        values_(values),
        pool_(pool),
        root_(root),
        depth_(horizon_for(model.facts(), o.depth_bias * (model.facts().max_reward -
                                                          model.facts().min_reward + 1e-9))),
        filter_(model, {.num_particles = o.particles}),
        origins_(model, kSketchWidth, root_.fold("sketch")) {}

  void start() override {
    start_from_blind_policies();
    upper_ = upper_at_start(model_, values_, root_.fold("blind"));
  }

  bool round(const Stop& stop) override {
    const RngKey key = root_.fold("round").fold(round_);
    proposals_ = share_out<Proposal>(
        pool_, o_.proposals, [&](size_t i) { return propose(key.fold("proposal").fold(i), stop); });
    if (std::any_of(proposals_.begin(), proposals_.end(),
                    [](const Proposal& p) { return p.abandoned; }))
      return false;  // a resumed run does the whole round again
    keep_stopped_round();
    ++round_;
    return true;
  }

  void keep_stopped_round() override {
    const RngKey key = root_.fold("round").fold(round_);
    for (size_t i = 0; i < proposals_.size(); ++i)
      if (!proposals_[i].abandoned) take_over(proposals_[i], key.fold("merge").fold(i));
    prune();
  }

  uint64_t backups() const override { return backups_; }
  Standing standing() const override { return {.nodes = live_, .gap = best_.gap(upper_.value)}; }
  const Work& work() const override { return work_; }

  void evaluate(SolveProgress& line, const Stop&) override {
    const LikelihoodController now = reachable(controller_);
    const Score score = judge(model_, LikelihoodPolicy(model_, now), o_.evaluations, pool_);
    live_ = now.num_nodes();
    if (best_.beaten_by(score)) best_.take({now}, score);
    line.estimate = score.mean;
    line.simulated = score;
    line.upper = upper_;
  }

  void finish(Solution& s) override {
    s.estimate = best_.score().mean;
    s.upper = upper_;
    s.policy = std::make_shared<const LikelihoodController>(best_.policy().controller);
  }

  void offer(Saver& saver) override {
    LikelihoodController now = reachable(controller_);
    archive_controller(saver, now);
  }

  // As if it were a proposal: its nodes are appended, and its start is taken where it is better.
  void take(Loader& loader) override {
    LikelihoodController other;
    archive_controller(loader, other);
    const RngKey key = root_.fold("offer").fold(round_);
    RecordBuffer first(model_.state_size(), o_.backup.samples);
    model_.sample_initial({key.fold("first")}, first);
    Proposal p;
    for (const auto& node : other.nodes)
      p.origins.push_back(origins_.sketch(node->samples.count() > 0 ? node->samples : first));
    p.nodes.assign(other.nodes.begin(), other.nodes.end());
    p.start = other.start;
    p.improved = true;
    take_over(p, key);
  }

  void archive_best(Saver& saver) override { saver(best_); }
  void archive_best(Loader& loader) override { loader(best_); }
  const Score& best_score() const override { return best_.score(); }

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 private:
  template <class Archive>
  void archive_all(Archive& a) {
    a(round_, num_blind_, live_, made_in_, backups_, work_, upper_, best_, origins_);
    archive_controller(a, controller_);
  }

  // One node per action, executing it for ever; the best of them is the start.
  void start_from_blind_policies() {
    constexpr size_t kStates = 512;
    RecordBuffer states(model_.state_size(), kStates);
    model_.sample_initial({root_.fold("blind")}, states);
    LikelihoodRollouts rollouts(model_, depth_);
    double best = -HUGE_VAL;
    for (int a = 0; a < first_.count(); ++a) {
      const NodeAction action = first_.action(a);
      LikelihoodNode node{action.number, action.real, {a}, RecordBuffer(model_.state_size()), {}};
      controller_.nodes.push_back(std::make_shared<LikelihoodNode>(std::move(node)));
      origins_.add(origins_.sketch(states));
      const std::vector<float> returns = rollouts.run(controller_, states, a, root_.fold("blind"));
      const double value = std::accumulate(returns.begin(), returns.end(), 0.0);
      if (value <= best) continue;
      best = value;
      controller_.start = a;
    }
    num_blind_ = controller_.num_nodes();
    made_in_.assign(num_blind_, 0);
  }

  struct Point {
    RecordBuffer states;
    int node = -1;      // that the controller executes here, if it can be told
    NodeAction action;  // that was done here
  };

  // Beliefs along a history: the controller's up to a random step, then an exploration.
  std::vector<Point> walk(RngKey key, uint64_t& steps) const {
    Rng rng(key.fold("plan"), 0);
    const bool first = round_ < 3;
    const int length = 1 + static_cast<int>(-o_.burst_length * std::log(1 - rng.uniform()));
    const bool greedy = rng.bernoulli(0.5), follow = !first && rng.bernoulli(0.25);
    int depart = first ? 0 : static_cast<int>(rng.below(1 + episode_length(key, steps)));
    // All beliefs from there to the start are backed up: where nodes are dear, early ones.
    if (!model_.has(Capability::kFiniteActions))
      depart = std::min(depart, static_cast<int>(-kEarly * std::log(1 - rng.uniform())));
    RecordBuffer truth(model_.state_size(), 1);
    model_.sample_initial({key.fold("truth")}, truth);
    Particles belief = filter_.initial(key.fold("belief"));
    StepBuffers buffers(model_, 1);
    std::vector<double> scratch;
    std::vector<Point> points;
    int node = controller_.start, last = -1;
    NodeAction action;
    std::optional<controller::SequencePlan> plan = first_.plan(values_);
    for (int t = 0; t < o_.max_path; ++t) {
      const RngKey step_key = key.fold("walk").fold(t);
      const bool exploring = t >= depart && !follow;
      Point point;
      const size_t more = t == 0 && plan ? kRootStates : 0;
      point.states = draw(belief, o_.backup.particles() + more, step_key.fold("sample"));
      if (t <= depart || follow) point.node = node;
      points.push_back(std::move(point));
      if (t >= depart + length) break;
      if (exploring && greedy && plan) {
        action = {0, planned(truth, *plan, step_key)};
      } else if (exploring) {
        last = explore(belief, greedy, last, step_key);
        action = first_.action(last);
      } else {
        action = {controller_.nodes[node]->action, controller_.nodes[node]->real_action};
        last = action.real.empty() ? action.number : -1;
      }
      points.back().action = action;
      const ConstRecords record{action.record(), model_.action_size(), 1};
      const StepResults out = buffers.results(1);
      model_.step(truth, record, {step_key.fold("truth")}, out);
      ++steps;
      if (out.ended[0]) break;
      if (!exploring) node = next_node(model_, *controller_.nodes[node], out.seen.at(0), scratch);
      filter_.update(belief, action.record(), out.seen.at(0), step_key.fold("filter"));
      steps += belief.count();
      truth.copy_from(0, out.next.at(0));
    }
    return points;
  }

  // As if the state were known; now and then anything. It is one particle of the belief, and the
  // one that no observation rules out.
  std::vector<float> planned(ConstRecords truth, controller::SequencePlan& plan, RngKey key) const {
    constexpr double kLookAround = 0.2;
    Rng rng(key.fold("around"), 0);
    if (rng.bernoulli(kLookAround))
      return first_.action(static_cast<int>(rng.below(static_cast<uint32_t>(first_.count())))).real;
    return plan.next(truth, key.fold("plan"));
  }

  int episode_length(RngKey key, uint64_t& steps) const {
    RecordBuffer state(model_.state_size(), 1);
    model_.sample_initial({key.fold("length")}, state);
    StepBuffers buffers(model_, 1);
    std::vector<double> scratch;
    int node = controller_.start, t = 0;
    for (; t < std::min(depth_, o_.max_path); ++t, ++steps) {
      const ConstRecords action{controller_.nodes[node]->action_record(), model_.action_size(), 1};
      const StepResults out = buffers.results(1);
      model_.step(state, action, {key.fold("length").fold(t)}, out);
      if (out.ended[0]) break;
      node = next_node(model_, *controller_.nodes[node], out.seen.at(0), scratch);
      state.copy_from(0, out.next.at(0));
    }
    return t;
  }

  // Equal draws in random order.
  static RecordBuffer draw(const Particles& belief, size_t count, RngKey key) {
    const Particles draws = resample(belief, count, key);
    RecordBuffer out(draws.states.record_size(), count);
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    Rng rng(key.fold("order"), 0);
    for (size_t i = count - 1; i > 0; --i)
      std::swap(order[i], order[rng.below(static_cast<uint32_t>(i + 1))]);
    for (size_t i = 0; i < count; ++i) out.copy_from(order[i], draws.states.at(i));
    return out;
  }

  // As if one particle were true, or a random action that is kept for a while.
  int explore(const Particles& belief, bool greedy, int last, RngKey key) const {
    const int actions = first_.count();
    Rng rng(key.fold("explore"), 0);
    if (!greedy) {
      if (last >= 0 && rng.bernoulli(0.8)) return last;
      return static_cast<int>(rng.below(actions));
    }
    const RecordBuffer state = draw(belief, 1, key.fold("thompson"));
    std::vector<double> q(actions);
    std::vector<char> unchanged(actions);
    mdp_q_values(first_.table(), values_, state, key.fold("q"), q, unchanged);
    return static_cast<int>(std::max_element(q.begin(), q.end()) - q.begin());
  }

  Proposal propose(RngKey key, const Stop& stop) const {
    Proposal p;
    p.first = controller_.num_nodes();
    LikelihoodController trial = controller_;
    LikelihoodBackup backup(model_, o_.backup, depth_);
    const std::vector<Point> points = walk(key, p.steps);
    std::vector<int> extra{controller_.start};
    for (size_t t = points.size(); t-- > 0;) {
      if (stop()) {
        p.abandoned = true;
        return p;
      }
      const Point& point = points[t];
      const double z = t == 0 ? o_.accept_z : 0;
      const std::vector<NodeAction> actions =
          first_.proposed(controller_, point.node, point.action, key.fold("actions").fold(t));
      const LikelihoodResult r = backup.run(trial, origins_, point.states, point.node, extra,
                                            actions, z, key.fold("backup").fold(t));
      ++p.backups;
      if (r.is_new) {
        p.origins.push_back(origins_.sketch(point.states.sub(0, o_.backup.samples)));
        extra.push_back(r.node);
        if (extra.size() > 6) extra.erase(extra.begin() + 1);
      } else if (std::find(extra.begin(), extra.end(), r.node) == extra.end()) {
        extra.push_back(r.node);
      }
      if (t > 0) continue;
      p.start = r.node;
      p.improved = r.node != controller_.start && r.gain > z * r.gain_error;
    }
    p.nodes.assign(trial.nodes.begin() + p.first, trial.nodes.end());
    p.steps += backup.steps();
    return p;
  }

  // Appends the nodes, and starts with the new start if it is still better.
  void take_over(const Proposal& p, RngKey key) {
    backups_ += p.backups;
    work_.simulator_steps += static_cast<double>(p.steps);
    const int shift = controller_.num_nodes() - p.first;
    for (size_t i = 0; i < p.nodes.size(); ++i) {
      auto node = std::make_shared<LikelihoodNode>(*p.nodes[i]);
      for (int& to : node->successor)
        if (to >= p.first) to += shift;
      controller_.nodes.push_back(std::move(node));
      origins_.add(p.origins[i]);
      made_in_.push_back(round_);
    }
    if (!p.improved) return;
    const int start = p.start < p.first ? p.start : p.start + shift;
    RecordBuffer states(model_.state_size(), 2048);
    model_.sample_initial({key.fold("states")}, states);
    LikelihoodRollouts rollouts(model_, depth_);
    const std::vector<float> now = rollouts.run(controller_, states, controller_.start, key),
                             then = rollouts.run(controller_, states, start, key);
    work_.simulator_steps += static_cast<double>(rollouts.steps());
    Moments difference;
    for (size_t i = 0; i < now.size(); ++i) difference.add(double(then[i]) - now[i]);
    const Estimate e = difference.estimate();
    if (e.mean > o_.accept_z * e.standard_error) controller_.start = start;
  }

  // Keeps what the start can reach, the blind policies, and the nodes of the last rounds.
  void prune() {
    const int nodes = controller_.num_nodes();
    std::vector<char> used(nodes, 0);
    std::vector<int> open{controller_.start};
    for (int n = 0; n < nodes; ++n)
      if (n < num_blind_ || made_in_[n] + o_.memory_rounds > round_) open.push_back(n);
    while (!open.empty()) {
      const int n = open.back();
      open.pop_back();
      if (used[n]) continue;
      used[n] = 1;
      for (int to : controller_.nodes[n]->successor) open.push_back(to);
    }
    std::vector<int> kept, number(nodes, -1);
    for (int n = 0; n < nodes; ++n) {
      if (!used[n]) continue;
      number[n] = static_cast<int>(kept.size());
      kept.push_back(n);
    }
    if (nodes < static_cast<int>(kept.size() + kept.size() / 4 + 64)) return;
    LikelihoodController smaller;
    std::vector<uint64_t> made_in;
    for (int n : kept) {
      auto node = std::make_shared<LikelihoodNode>(*controller_.nodes[n]);
      for (int& to : node->successor) to = number[to];
      smaller.nodes.push_back(std::move(node));
      made_in.push_back(made_in_[n]);
    }
    smaller.start = number[controller_.start];
    controller_ = std::move(smaller);
    made_in_ = std::move(made_in);
    origins_.keep(kept);
  }

  const Pomdp& model_;
  FirstActions first_;
  const ContinuousOptions& o_;
  const MdpValue& values_;
  ThreadPool& pool_;
  RngKey root_;
  int depth_;
  ParticleFilter filter_;
  controller::Origins origins_;  // one per node
  LikelihoodController controller_;
  int num_blind_ = 0, live_ = 0;
  std::vector<uint64_t> made_in_;    // per node: its round
  std::vector<Proposal> proposals_;  // of a round that was stopped
  uint64_t round_ = 0, backups_ = 0;
  Work work_;
  UpperValue upper_;
  BestSoFar<Held> best_;
};

}  // namespace

void ContinuousOptions::list(OptionList& l) {
  l.add("samples", backup.samples, 4, 100'000, "states that a node keeps to weigh observations by");
  l.add("value-rollouts", backup.value_rollouts, 1, 1000, "per value that a node keeps");
  l.add("pivots", backup.pivots, 1, 1000, "observations that similar nodes are looked for by");
  l.add("by-similarity", backup.by_similarity, 0, 1000,
        "nodes made for similar beliefs, per pivot");
  l.add("check", backup.check, 8, 100'000, "fresh particles to rank actions on");
  l.add("score", backup.score, 8, 100'000, "fresh particles for the paired comparison");
  l.add("action-stock", action_stock, 2, 10'000,
        "continuous actions: how many there are to begin with where the domain has no hints");
  l.add("action-proposals", actions, 1, 10'000, "continuous actions that a backup tries");
  l.add("action-refine", backup.refine, 0, 10'000,
        "continuous actions drawn around the best of a backup, three times");
  l.add("particles", particles, 16, 10'000'000, "of the belief along a history");
  l.add("proposals", proposals, 1, 1024, "attempts to improve made at once, per round");
  l.add("burst-length", burst_length, 1, 1e4, "mean steps of an exploration");
  l.add("accept-z", accept_z, -10, 10, "standard errors that a new start must gain");
  l.add("memory-rounds", memory_rounds, 1, 1'000'000, "rounds that unused nodes are kept");
}

Solution improve_continuously(const Pomdp& model, const ContinuousOptions& options,
                              const IslandOptions& islands, const MdpValue& values,
                              const Limits& limits, uint64_t seed, ThreadPool& pool,
                              const Solver::Report& report) {
  Anytime frame(limits, report, pool,
                {.first = 200, .growth = 1.3, .slack = 0.3, .slack_share = 0});
  const RngKey root = RngKey::from_seed(seed).fold("mcvi continuous");
  if (islands.count == 1) {
    ContinuousRounds rounds(model, options, values, root, pool);
    return frame.run(rounds);
  }
  Islands all(islands, limits.backups, pool, frame.stop(), [&](int i, ThreadPool& own) {
    return std::make_unique<ContinuousRounds>(model, options, values, island_key(root, i), own);
  });
  return frame.run(all);
}

}  // namespace penumbra::mcvi

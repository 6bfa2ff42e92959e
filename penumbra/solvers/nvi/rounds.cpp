#include "penumbra/solvers/nvi/rounds.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "penumbra/base/error.h"
#include "penumbra/base/memory.h"
#include "penumbra/evaluate/simulate.h"
#include "penumbra/policy/simple.h"
#include "penumbra/solvers/archive_parts.h"
#include "penumbra/solvers/nvi/policy_evaluation.h"
#include "penumbra/solvers/nvi/proposal.h"
#include "penumbra/solvers/nvi/tune_nodes.h"
#include "penumbra/solvers/reached_limit.h"

namespace penumbra::nvi {
namespace {

using Clock = std::chrono::steady_clock;

// Backups from one evaluation to the next: few tell how a solve begins, more choose its best.
constexpr uint64_t kFirstEvaluation = 64, kEarly = 500;
constexpr double kEarlyGrowth = 2, kEvaluationGrowth = 1.2;
// The longer a solve, the finer the differences between its controllers.
constexpr uint64_t kEpisodesPerBackup = 4, kMostEpisodes = 100'000;

// Whether no episode of a random or of a blind agent ends: then none has an end to explore to.
bool never_ends(const Pomdp& model, int depth, RngKey key) {
  constexpr size_t kEpisodes = 64;
  std::vector<double> returns(kEpisodes);
  auto ends = [&](const Policy& policy) {
    return simulate(model, policy, {key, 0, kEpisodes, depth}, returns).truncated < kEpisodes;
  };
  bool any = ends(RandomPolicy(model));
  for (int a = 0; !any && a < model.facts().num_actions; ++a) any = ends(BlindPolicy(model, a));
  return !any;
}

// With few observations a node is judged well on fewer states.
NviOptions tuning_options(NviOptions o, bool many_observations) {
  if (many_observations) return o;
  o.tune_nodes = std::max(1, o.tune_nodes / 4);
  o.tune_states = std::max(256, o.tune_states / 8);
  o.tune_episodes = std::max(1, o.tune_episodes / 10);
  return o;
}

class Run {
 public:
  Run(const Pomdp& model, const NviOptions& options, const std::string& name,
      const MakeCandidates& make_candidates, const Limits& limits, uint64_t seed, ThreadPool& pool,
      const Solver::Report& report)
      : model_(model),
        options_(options),
        limits_(limits),
        pool_(pool),
        report_(report),
        start_(Clock::now()),
        root_(RngKey::from_seed(seed).fold(name)),
        values_(make_mdp_value(model, options.mdp, root_.fold("mdp"), pool)),
        candidates_(make_candidates(root_.fold("library"))),
        library_(*candidates_),
        depth_(horizon_for(model.facts(), options.depth_bias * (model.facts().max_reward -
                                                                model.facts().min_reward + 1e-9))),
        many_observations_(model.facts().num_observations > kFewObservations),
        endless_(never_ends(model, depth_, root_.fold("endless"))),
        tuning_(tuning_options(options, many_observations_)) {
    fsc_.num_observations = model.facts().num_observations;
  }

  Solution solve() {
    if (!resume()) {
      start_from_blind_policies();
      upper_ = upper_bound();
      evaluate_now();
      if (wants_abstract_plan()) begin_plan();
    }
    std::string status;
    bool cut = false;  // the last round
    while (true) {
      status = reason_to_stop();
      if (status.empty() && backups_ >= next_evaluation_) {
        if (plan_) execute_plan();
        evaluate_now();
        status = reason_to_stop();
      }
      if (!status.empty()) break;
      if (plan_) {
        go_on_with_plan();
        continue;
      }
      if (!run_round(round_)) {
        status = reason_to_stop();
        cut = true;
        break;
      }
      tune_if_due(round_);
      ++round_;
      if (limits_.checkpoints && limits_.checkpoints->due()) save();
    }
    if (limits_.checkpoints && !cut) save();
    if (plan_) execute_plan();
    if (evaluated_at_ != backups_) evaluate_now();
    return finish(status);
  }

 private:
  double seconds() const {
    return before_ + std::chrono::duration<double>(Clock::now() - start_).count();
  }

  // Everything that rounds change and later rounds depend on.
  template <class Archive>
  void archive(Archive& a) {
    double spent = seconds();
    a(spent, round_, fsc_, num_blind_, live_, made_in_, backups_, evaluated_at_, next_evaluation_,
      tuned_, steps_, network_evaluations_, upper_, times_, tried_, succeeded_, best_, best_alpha_,
      best_networks_, best_score_, library_);
    bool planning = plan_ != nullptr;
    a(planning);
    if constexpr (Archive::kLoading) {
      before_ = spent;
      if (planning) make_plan();
    }
    if (planning) a(*plan_);
  }
  void save() {
    limits_.checkpoints->save([this](Saver& saver) { archive(saver); });
  }
  bool resume() {
    const bool found = limits_.checkpoints &&
                       limits_.checkpoints->resume([this](Loader& loader) { archive(loader); });
    if (found) library_.set_pool(pool_of_states(), pool_);
    return found;
  }

  // One node per action, executing it for ever; the best of them is the first controller.
  void start_from_blind_policies() {
    constexpr size_t kStates = 512;
    RecordBuffer states(model_.state_size(), kStates);
    model_.sample_initial({root_.fold("blind")}, states);
    std::vector<uint64_t> ids(kStates);
    std::iota(ids.begin(), ids.end(), uint64_t{0});
    Rollouts rollouts(model_, depth_);
    library_.set_pool(pool_of_states(), pool_);
    double best = -HUGE_VAL;
    for (int a = 0; a < model_.facts().num_actions; ++a) {
      const int node = fsc_.add_node(a);
      TrainingSet own{states, std::vector<float>(kStates)};
      const std::vector<int> nodes(kStates, node);
      rollouts.run(fsc_, states, nodes, ids, root_.fold("blind"), own.returns);
      const double value = std::accumulate(own.returns.begin(), own.returns.end(), 0.0) / kStates;
      if (value > best) {
        best = value;
        fsc_.start = node;
      }
      const RecordBuffer& shared = library_.pool_states();
      std::vector<float> shared_returns(shared.count());
      const std::vector<int> shared_nodes(shared.count(), node);
      ids.resize(std::max(ids.size(), shared.count()));
      std::iota(ids.begin(), ids.end(), uint64_t{0});
      rollouts.run(fsc_, shared, shared_nodes, std::span<const uint64_t>(ids).first(shared.count()),
                   root_.fold("pool"), shared_returns);
      library_.add(node, own, shared_returns, root_.fold("fit").fold(node), pool_);
    }
    num_blind_ = fsc_.num_nodes();
    made_in_.assign(num_blind_, 0);
    steps_ += static_cast<double>(rollouts.steps());
  }

  bool wants_abstract_plan() const {
    if (options_.start != "auto") return options_.start == "abstract";
    return options_.belief.use_likelihood && model_.has(abstraction_needs());
  }
  void make_plan() {
    AbstractPlanOptions options = options_.plan;
    options.memory = 0.6 * limits_.memory;
    plan_ = std::make_unique<AbstractPlan>(model_, options, root_.fold("plan"), pool_);
  }
  void begin_plan() {
    const PhaseTimer timer(times_.plan);
    make_plan();
    steps_ += plan_->simulator_steps();
  }

  // A walk of the plan at a time. A walk that is cut short counts when it is over.
  void go_on_with_plan() {
    {
      const PhaseTimer timer(times_.plan);
      if (plan_->run([this] { return out_of_time(); })) backups_ = plan_->backups();
    }
    if (plan_->finished()) adopt_plan();
    if (limits_.checkpoints && limits_.checkpoints->due()) save();
  }

  // The controller becomes the plan as it is now.
  void execute_plan() {
    const Fsc plan = plan_->controller();
    fsc_.action.resize(num_blind_);
    fsc_.edges.resize(size_t(num_blind_) * fsc_.num_observations);
    for (int n = 0; n < plan.num_nodes(); ++n) fsc_.add_node(plan.action[n]);
    for (int n = 0; n < plan.num_nodes(); ++n)
      for (int o = 0; o < fsc_.num_observations; ++o)
        fsc_.set_edge(num_blind_ + n, o, num_blind_ + plan.next(n, o));
    fsc_.start = num_blind_ + plan.start;
    live_ = plan.num_nodes();
  }

  // Nodes that are visited get networks; from here on the rounds improve the controller.
  void adopt_plan() {
    execute_plan();
    plan_.reset();
    made_in_.assign(fsc_.num_nodes(), 0);
    const PhaseTimer timer(times_.train);
    steps_ +=
        fit_visited_nodes(model_, options_, fsc_, depth_, root_.fold("adopt"), pool_, library_);
  }

  // States from all depths of random walks: every network is fitted on these too.
  RecordBuffer pool_of_states() {
    const size_t wanted = options_.library.pool_states;
    RecordBuffer out(model_.state_size());
    if (wanted == 0) return out;
    const size_t lanes = std::max<size_t>(8, wanted / 16);
    RecordBuffer state(model_.state_size(), lanes);
    model_.sample_initial({root_.fold("pool initial")}, state);
    StepBuffers buffers(model_, lanes);
    std::vector<int> action(lanes);
    std::vector<uint8_t> ended(lanes, 0);
    model_.is_terminal(state, ended);
    for (int t = 0; out.count() < wanted && t < 100'000; ++t) {
      const RngKey key = root_.fold("pool walk").fold(t);
      for (size_t i = 0; i < lanes && out.count() < wanted; ++i)
        if (!ended[i] && t % 2 == 0) out.push_back(state.at(i));
      for (size_t i = 0; i < lanes; ++i)
        action[i] = static_cast<int>(Rng(key.fold("a"), i).below(model_.facts().num_actions));
      const StepResults results = buffers.results(lanes);
      model_.step(state, std::span<const int>(action), {key}, results);
      std::memcpy(state.view().data, results.next.data, lanes * model_.state_size());
      std::copy(results.ended.begin(), results.ended.end(), ended.begin());
      if (std::all_of(ended.begin(), ended.end(), [](uint8_t e) { return e != 0; })) {
        model_.sample_initial({root_.fold("pool initial").fold(t)}, state);
        model_.is_terminal(state, ended);
      }
    }
    return out;
  }

  // The QMDP bound at b0: the mean of V_mdp.
  double upper_bound() {
    constexpr size_t kStates = 16'384;
    RecordBuffer states(model_.state_size(), kStates);
    model_.sample_initial({root_.fold("upper")}, states);
    std::vector<double> values(kStates);
    values_->value(states, values);
    return std::accumulate(values.begin(), values.end(), 0.0) / kStates;
  }

  // False when time was up before all proposals were made; those that were count.
  bool run_round(uint64_t round) {
    const RngKey key = root_.fold("round").fold(round);
    std::vector<ProposalPlan> plans;
    for (int i = 0; i < options_.proposals; ++i) {
      Rng rng(key.fold("plan"), i);
      const bool first = round < static_cast<uint64_t>(options_.whole_first);
      const Burst burst = choose_burst(rng, round);
      const bool whole = first || rng.bernoulli(options_.whole_bursts);
      plans.push_back({burst, first, whole && !endless_});
    }
    const ProposalContext context{model_,   options_, *values_,
                                  library_, fsc_,     [this] { return out_of_time(); }};
    std::vector<Proposal> proposals(plans.size());
    pool_.for_chunks(plans.size(), 1, [&](size_t i, size_t, size_t) {
      proposals[i] = make_proposal(context, plans[i], key.fold("proposal").fold(i));
    });
    bool whole = true;
    for (const Proposal& p : proposals) whole = whole && !p.abandoned;
    if (!whole && limits_.checkpoints) save();  // a resumed run does the whole round again
    for (size_t i = 0; i < proposals.size(); ++i) {
      Proposal& p = proposals[i];
      if (p.abandoned) continue;
      backups_ += p.backups;
      steps_ += static_cast<double>(p.steps);
      network_evaluations_ += static_cast<double>(p.network_evaluations);
      times_ += p.times;
      ++tried_[static_cast<int>(p.burst)];
      if (p.improved && take_over(p, key.fold("merge").fold(i)))
        ++succeeded_[static_cast<int>(p.burst)];
      else if (options_.keep_excursions)
        append(p, key.fold("merge").fold(i));
    }
    made_in_.resize(fsc_.num_nodes(), round);
    prune_if_large(round);
    return whole;
  }

  // Improves nodes in place once their share of the backups has come. Excursions grow trees; in an
  // episode without end it takes this to bend them into loops.
  void tune_if_due(uint64_t round) {
    const bool wanted = endless_ || (many_observations_ &&
                                     model_.facts().num_actions <= options_.all_actions_up_to);
    if (options_.tune == "no" || (options_.tune == "auto" && !wanted)) return;
    const double due = options_.tune_share * static_cast<double>(backups_);
    if (static_cast<double>(tuned_ + tuning_.tune_nodes) > due) return;
    const TuneReport r =
        tune_nodes(model_, tuning_, library_, depth_, fsc_, root_.fold("tune").fold(round), pool_);
    // A controller without enough visits anywhere is not asked again at once.
    tuned_ += std::max<uint64_t>(r.backups, tuning_.tune_nodes);
    backups_ += r.backups;
    steps_ += static_cast<double>(r.steps);
    network_evaluations_ += static_cast<double>(r.network_evaluations);
    times_ += r.times;
  }

  // Kinds of exploration are used as often as they succeed, and never forgotten.
  Burst choose_burst(Rng& rng, uint64_t round) {
    double weight[kNumBursts];
    for (int b = 0; b < kNumBursts; ++b)
      weight[b] = 0.05 + (succeeded_[b] + 1.0) / (tried_[b] + 4.0);
    if (round == 0) weight[static_cast<int>(Burst::kPersistent)] = 0.1;
    if (round < static_cast<uint64_t>(options_.whole_first))
      weight[static_cast<int>(Burst::kFollow)] = 0;
    return static_cast<Burst>(rng.categorical(weight));
  }

  // Appends the proposal's nodes and leads the controller to them. Proposals of one round were
  // made against the same controller, so an earlier one may stand in the way of a later one.
  bool take_over(Proposal& p, RngKey key) {
    std::vector<int> way;
    int node = fsc_.start;
    for (const auto& step : p.prefix) {
      if (fsc_.action[node] != step.action) return false;  // no longer on the controller's way
      way.push_back(node);
      node = fsc_.next(node, step.seen);
    }
    const int observations = fsc_.num_observations, shift = fsc_.num_nodes() - p.first_new;
    auto renamed = [&](int n) { return n < p.first_new ? n : n + shift; };
    append(p, key);
    if (node != p.old_node && !beats(renamed(p.new_node), node, p.judges, key)) return false;
    int child = renamed(p.new_node);
    for (size_t t = p.prefix.size(); t-- > 0;) {
      const auto& step = p.prefix[t];
      if (step.replacement >= 0 && way[t] == step.node &&
          fsc_.next(renamed(step.replacement), step.seen) == child) {
        child = renamed(step.replacement);
        continue;
      }
      if (fsc_.next(way[t], step.seen) == child) {
        child = way[t];
        continue;
      }
      const int copy = fsc_.add_node(step.action);
      for (int o = 0; o < observations; ++o)
        fsc_.set_edge(copy, o, o == step.seen ? child : fsc_.next(way[t], o));
      library_.hand_over(way[t], copy);
      child = copy;
    }
    fsc_.start = child;
    return true;
  }

  // The proposal's nodes become candidates; nothing leads to them yet.
  void append(const Proposal& p, RngKey key) {
    const PhaseTimer timer(times_.train);
    const int observations = fsc_.num_observations, shift = fsc_.num_nodes() - p.first_new;
    for (size_t i = 0; i < p.actions.size(); ++i) {
      const int node = fsc_.add_node(p.actions[i]);
      for (int o = 0; o < observations; ++o) {
        const int to = p.edges[i * observations + o];
        fsc_.set_edge(node, o, to < p.first_new ? to : to + shift);
      }
    }
    for (size_t i = 0; i < p.actions.size(); ++i)
      library_.add(p.first_new + shift + static_cast<int>(i), p.training[i], p.pool_returns[i],
                   key.fold("fit").fold(i), pool_);
  }

  bool beats(int challenger, int champion, const RecordBuffer& judges, RngKey key) {
    const PhaseTimer timer(times_.verify);
    const size_t n = judges.count();
    RecordBuffer states(model_.state_size());
    states.append(judges);
    states.append(judges);
    std::vector<int> nodes(2 * n, challenger);
    std::fill(nodes.begin() + static_cast<long>(n), nodes.end(), champion);
    std::vector<uint64_t> ids(2 * n);
    for (size_t i = 0; i < n; ++i) ids[i] = ids[n + i] = i;
    std::vector<float> returns(2 * n);
    Rollouts rollouts(model_, depth_);
    rollouts.run(fsc_, states, nodes, ids, key, returns);
    steps_ += static_cast<double>(rollouts.steps());
    Moments difference;
    for (size_t i = 0; i < n; ++i) difference.add(double(returns[i]) - returns[n + i]);
    const Estimate e = difference.estimate();
    return e.mean > options_.accept_z * e.standard_error;
  }

  // Keeps what the start can reach, the blind policies, and the candidates of the last rounds.
  void prune_if_large(uint64_t round) {
    std::vector<char> used(fsc_.num_nodes(), 0);
    std::vector<int> open{fsc_.start};
    auto spread = [&] {
      while (!open.empty()) {
        const int node = open.back();
        open.pop_back();
        if (used[node]) continue;
        used[node] = 1;
        for (int o = 0; o < fsc_.num_observations; ++o) open.push_back(fsc_.next(node, o));
      }
      return static_cast<int>(std::count(used.begin(), used.end(), 1));
    };
    live_ = spread();
    const uint64_t rounds = options_.memory_rounds > 0 ? options_.memory_rounds
                            : many_observations_       ? 600
                                                       : 12;
    for (int node = 0; node < fsc_.num_nodes(); ++node)
      if (node < num_blind_ || made_in_[node] + rounds > round) open.push_back(node);
    const int kept_nodes = spread();
    if (fsc_.num_nodes() < kept_nodes + kept_nodes / 4 + 64) return;
    std::vector<int> number(used.size(), -1);
    std::vector<uint64_t> made_in;
    Fsc kept;
    kept.num_observations = fsc_.num_observations;
    for (size_t n = 0; n < used.size(); ++n) {
      if (!used[n]) continue;
      number[n] = kept.add_node(fsc_.action[n]);
      made_in.push_back(made_in_[n]);
    }
    for (size_t n = 0; n < used.size(); ++n)
      for (int o = 0; used[n] && o < fsc_.num_observations; ++o)
        kept.set_edge(number[n], o, number[fsc_.next(static_cast<int>(n), o)]);
    kept.start = number[fsc_.start];
    fsc_ = std::move(kept);
    made_in_ = std::move(made_in);
    library_.renumber(number);
  }

  // Simulates the controller and remembers it if it is the best so far.
  void evaluate_now() {
    EvaluateOptions o;
    o.episodes = std::max<uint64_t>(options_.evaluations,
                                    std::min(kEpisodesPerBackup * backups_, kMostEpisodes));
    o.seed = 0x5eed;  // always the same episodes: a paired comparison
    const Score score = evaluate(model_, FscPolicy(fsc_, model_.facts()), o, pool_);
    if (best_.num_nodes() > 0 && best_score_.episodes() < o.episodes)
      best_score_ = evaluate(model_, FscPolicy(best_, model_.facts()), o, pool_);
    evaluated_at_ = backups_;
    const double growth = backups_ < kEarly ? kEarlyGrowth : kEvaluationGrowth;
    next_evaluation_ =
        std::max(kFirstEvaluation, static_cast<uint64_t>(static_cast<double>(backups_) * growth));
    if (best_.num_nodes() == 0 || score.mean > best_score_.mean) {
      best_ = fsc_;
      best_alpha_ = library_.alpha(fsc_.num_nodes());
      best_networks_ = library_.save_networks();
      best_score_ = score;
    }
    if (report_) {
      SolveProgress progress;
      progress.seconds = seconds();
      progress.backups = backups_;
      progress.nodes = live_;
      progress.estimate = score.mean;
      progress.simulated = score;
      progress.upper = upper_;
      progress.upper_proven = values_->proven();
      progress.simulator_steps = steps_;
      progress.network_evaluations = network_evaluations_;
      progress.memory = static_cast<double>(resident_bytes());
      progress.training_error = library_.take_training_error();
      report_(progress);
    }
  }

  // Rounds under way may go on a little longer than none is begun.
  bool out_of_time() const {
    const double slack = std::max(0.6, 0.006 * limits_.seconds);
    return (limits_.cancelled && limits_.cancelled()) ||
           (limits_.seconds > 0 && seconds() >= limits_.seconds + slack);
  }

  std::string reason_to_stop() const {
    return reached_limit(limits_, {upper_ - best_score_.low, backups_, live_, seconds()});
  }

  Solution finish(const std::string& status) {
    Solution s;
    s.status = status;
    s.seconds = seconds();
    s.backups = backups_;
    s.estimate = best_score_.mean;
    s.upper = upper_;
    s.upper_proven = values_->proven();
    std::vector<int> kept;
    s.controller.fsc = reachable(best_, &kept);
    if (!best_networks_.empty()) {
      for (int node : kept) s.controller.alpha.push_back(best_alpha_[node]);
      s.controller.networks = nn::load_bank(best_networks_, options_.library.bank);
    }
    if (options_.sweep)
      s.controller = evaluate_networks(model_, s.controller.fsc, options_, library_.pool_states(),
                                       depth_, root_.fold("sweep"), pool_);
    s.simulator_steps = steps_;
    s.network_evaluations = network_evaluations_;
    s.timings = {{"plan", times_.plan},         {"collect", times_.collect},
                 {"simulate", times_.simulate}, {"predict", times_.predict},
                 {"verify", times_.verify},     {"generate", times_.generate},
                 {"train", times_.train}};
    return s;
  }

  const Pomdp& model_;
  const NviOptions& options_;
  const Limits& limits_;
  ThreadPool& pool_;
  const Solver::Report& report_;
  Clock::time_point start_;
  double before_ = 0;  // seconds of the run before it was resumed
  RngKey root_;
  std::unique_ptr<MdpValue> values_;
  std::unique_ptr<AbstractPlan> plan_;  // while it is being made
  std::unique_ptr<Candidates> candidates_;
  Candidates& library_;
  int depth_;
  bool many_observations_, endless_;
  NviOptions tuning_;
  Fsc fsc_;
  int num_blind_ = 0, live_ = 0;
  std::vector<uint64_t> made_in_;  // per node: its round
  uint64_t round_ = 0, backups_ = 0, evaluated_at_ = 0, next_evaluation_ = kFirstEvaluation;
  uint64_t tuned_ = 0;  // backups that improved nodes in place
  double steps_ = 0, network_evaluations_ = 0, upper_ = 0;
  PhaseTimes times_;
  uint64_t tried_[kNumBursts] = {}, succeeded_[kNumBursts] = {};
  Fsc best_;
  std::vector<int> best_alpha_;
  nn::Bytes best_networks_;  // as they were then
  Score best_score_;
};

}  // namespace

Solution improve_in_rounds(const Pomdp& model, const NviOptions& options, const std::string& name,
                           const MakeCandidates& make_candidates, const Limits& limits,
                           uint64_t seed, ThreadPool& pool, const Solver::Report& report) {
  return Run(model, options, name, make_candidates, limits, seed, pool, report).solve();
}

}  // namespace penumbra::nvi

#include "penumbra/solvers/ppo/ppo.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "penumbra/base/error.h"
#include "penumbra/base/memory.h"
#include "penumbra/evaluate/simulate.h"
#include "penumbra/policy/recurrent.h"
#include "penumbra/solvers/archive_parts.h"
#include "penumbra/solvers/ppo/collector.h"
#include "penumbra/solvers/ppo/learner.h"
#include "penumbra/solvers/reached_limit.h"

namespace penumbra {
namespace ppo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kFirstEvaluation = 240;  // backups
constexpr double kEvaluationGrowth = 1.3;
constexpr double kCutShare = 0.01;  // of the reward range may be left when an episode is cut

class Run {
 public:
  Run(const Pomdp& model, const PpoOptions& options, const Limits& limits, uint64_t seed,
      ThreadPool& pool, const Solver::Report& report)
      : model_(model),
        options_(options),
        settings_(options.settings(model.facts().name)),
        limits_(limits),
        pool_(pool),
        report_(report),
        start_(Clock::now()),
        root_(RngKey::from_seed(seed).fold("ppo")),
        code_(model, root_.fold("code")),
        head_{code_.num_actions(), code_.action_dimension()},
        learner_(code_.layout(), head_, settings_, root_.fold("networks")),
        collector_(model, code_, head_, settings_.lanes, settings_.hidden, longest_episode(),
                   root_.fold("collect")),
        batch_(settings_.lanes, settings_.steps, learner_.actor().plan(), head_.width()) {
    find_upper_bound();
  }

  Solution solve() {
    if (limits_.checkpoints)
      limits_.checkpoints->resume([this](Loader& loader) { archive(loader); });
    std::string status;
    while ((status = reason_to_stop()).empty()) {
      if (!run_round()) {
        status = reason_to_stop();
        break;
      }
      if (backups_ >= next_evaluation_ && reason_to_stop().empty()) evaluate_now();
      if (limits_.checkpoints && limits_.checkpoints->due()) save();
    }
    if (limits_.checkpoints) save();
    if (evaluated_at_ != backups_ || !best_) evaluate_now();
    return finish(status);
  }

 private:
  double seconds() const {
    return before_ + std::chrono::duration<double>(Clock::now() - start_).count();
  }
  int longest_episode() const {
    if (options_.max_episode > 0) return options_.max_episode;
    const Facts& f = model_.facts();
    return std::max(2, horizon_for(f, kCutShare * (f.max_reward - f.min_reward) + 1e-9));
  }

  // The mean value of a first state that is known, or the best reward for ever.
  void find_upper_bound() {
    upper_ = model_.facts().max_reward / (1 - model_.facts().discount);
    if (!model_.has(Capability::kMdpValue)) return;
    constexpr size_t kStates = 16'384;
    RecordBuffer states(model_.state_size(), kStates);
    model_.sample_initial({root_.fold("upper")}, states);
    std::vector<double> values(kStates);
    model_.mdp_value(states, values);
    upper_ = std::accumulate(values.begin(), values.end(), 0.0) / kStates;
  }

  // Everything that rounds change.
  template <class Archive>
  void archive_round(Archive& a) {
    a(round_, backups_, learner_, collector_);
  }
  template <class Archive>
  void archive(Archive& a) {
    double spent = seconds();
    archive_round(a);
    a(spent, steps_, evaluated_at_, next_evaluation_, best_score_, play_seconds_, learn_seconds_,
      evaluate_seconds_);
    nn::ByteWriter best;
    if (best_) best_->write(best);
    std::vector<std::byte> bytes = best.bytes();
    a(bytes);
    if constexpr (Archive::kLoading) {
      before_ = spent;
      if (!bytes.empty()) {
        nn::ByteReader in(bytes);
        best_ = std::make_shared<const RecurrentActor>(RecurrentActor::read(in));
      }
    }
  }
  void save() {
    limits_.checkpoints->save([this](Saver& saver) { archive(saver); });
  }

  // One round of experience and learning. If time is up before its end it has not happened.
  bool run_round() {
    BytesSink before;
    Saver saver(before);
    archive_round(saver);
    auto stop = [this] { return out_of_time(); };
    bool whole;
    {
      const Timer timer(play_seconds_);
      whole = collector_.play(learner_.actor(), round_, batch_, pool_, stop);
    }
    if (whole) {
      const Timer timer(learn_seconds_);
      collector_.value(learner_.critic(), learner_.middle(), learner_.scale(), batch_, pool_);
      add_advantages(batch_, model_.facts().discount, settings_.gae);
      learner_.rescale(batch_);
      backups_ +=
          learner_.learn(batch_, factors(), root_.fold("learn").fold(round_), pool_, stop, whole);
    }
    if (!whole) {
      BytesSource source(before.bytes);
      Loader loader(source);
      archive_round(loader);
      return false;
    }
    ++round_;
    steps_ += double(settings_.lanes) * settings_.steps;
    return true;
  }

  // The rate falls in a line to a tenth, the entropy's weight by equal shares to a hundredth.
  Factors factors() const {
    if (settings_.decay == 0) return {};
    const double spent = std::min(1.0, static_cast<double>(backups_) / settings_.decay);
    return {1 - 0.9 * spent, std::pow(0.01, spent)};
  }

  // Simulates the actor, greedy and drawn, and remembers it if it is the best so far.
  void evaluate_now() {
    const Timer timer(evaluate_seconds_);
    evaluated_at_ = backups_;
    next_evaluation_ = std::max(
        kFirstEvaluation, static_cast<uint64_t>(static_cast<double>(backups_) * kEvaluationGrowth));
    auto actor =
        std::make_shared<RecurrentActor>(RecurrentActor{code_, head_, learner_.actor(), false});
    EvaluateOptions o;
    o.episodes = options_.evaluations;
    o.seed = 0x5eed;  // always the same episodes: a paired comparison
    o.cancelled = [this] { return out_of_time(); };
    Score score;
    for (const bool greedy : {false, true}) {
      if (greedy && out_of_time()) break;
      auto candidate = std::make_shared<RecurrentActor>(*actor);
      candidate->greedy = greedy;
      const Score s = evaluate(model_, RecurrentPolicy(candidate, model_), o, pool_);
      if (!greedy || s.mean > score.mean) score = s;
      // A score that was cut short says too little to take the place of a whole one.
      const bool comparable = s.episodes() >= best_score_.episodes();
      if (best_ && !(comparable && s.mean > best_score_.mean)) continue;
      best_ = candidate;
      best_score_ = s;
    }
    if (!report_) return;
    SolveProgress progress;
    progress.seconds = seconds();
    progress.backups = backups_;
    progress.estimate = score.mean;
    progress.simulated = score;
    progress.upper = upper_;
    progress.upper_proven = true;
    progress.simulator_steps = steps_;
    progress.network_evaluations = network_evaluations();
    progress.memory = static_cast<double>(resident_bytes());
    report_(progress);
  }

  // Rows that went through a network, forward, in play and learning.
  double network_evaluations() const { return steps_ * 2 * (1 + settings_.epochs); }

  // Rounds under way may go on a little longer than none is begun.
  bool out_of_time() const {
    const double slack = std::max(0.5, 0.005 * limits_.seconds);
    return (limits_.cancelled && limits_.cancelled()) ||
           (limits_.seconds > 0 && seconds() >= limits_.seconds + slack);
  }

  std::string reason_to_stop() const {
    const double gap = best_ ? upper_ - best_score_.low : INFINITY;
    return reached_limit(limits_, {gap, backups_, settings_.hidden, seconds()});
  }

  Solution finish(const std::string& status) {
    Solution s;
    s.status = status;
    s.seconds = seconds();
    s.backups = backups_;
    s.estimate = best_score_.mean;
    s.upper = upper_;
    s.upper_proven = true;
    s.recurrent = best_;
    s.simulator_steps = steps_;
    s.network_evaluations = network_evaluations();
    s.timings = {
        {"play", play_seconds_}, {"learn", learn_seconds_}, {"evaluate", evaluate_seconds_}};
    return s;
  }

  class Timer {
   public:
    explicit Timer(double& phase) : phase_(phase), start_(Clock::now()) {}
    ~Timer() { phase_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    double& phase_;
    Clock::time_point start_;
  };

  const Pomdp& model_;
  const PpoOptions& options_;
  Settings settings_;
  const Limits& limits_;
  ThreadPool& pool_;
  const Solver::Report& report_;
  Clock::time_point start_;
  double before_ = 0;  // seconds of the run before it was resumed
  RngKey root_;
  HistoryCode code_;
  nn::ActionHead head_;
  Learner learner_;
  Collector collector_;
  Batch batch_;
  uint64_t round_ = 0, backups_ = 0, evaluated_at_ = 0, next_evaluation_ = kFirstEvaluation;
  double steps_ = 0, upper_ = 0;
  double play_seconds_ = 0, learn_seconds_ = 0, evaluate_seconds_ = 0;
  std::shared_ptr<const RecurrentActor> best_;
  Score best_score_;
};

}  // namespace
}  // namespace ppo

Solution PpoSolver::solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                          const Report& report) {
  return ppo::Run(model, options_, limits, seed, pool, report).solve();
}

}  // namespace penumbra

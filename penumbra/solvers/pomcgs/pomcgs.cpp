#include "penumbra/solvers/pomcgs/pomcgs.h"

#include <chrono>
#include <cmath>
#include <numeric>

#include "penumbra/base/memory.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/archive_parts.h"
#include "penumbra/solvers/pomcgs/search.h"
#include "penumbra/solvers/reached_limit.h"

namespace penumbra::pomcgs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kFirstEvaluation = 250;  // trials
constexpr double kEvaluationGrowth = 1.25;  // trials from one evaluation to the next
constexpr double kFull = 0.8;               // share of the memory beyond which no belief is added
constexpr double kOver = 0.95;              // and beyond which the search ends
constexpr int kIdleRounds = 200;            // rounds that try nothing new: converged

class Run {
 public:
  Run(const Pomdp& model, const PomcgsOptions& options, const Limits& limits, uint64_t seed,
      ThreadPool& pool, const Solver::Report& report)
      : model_(model),
        options_(options),
        limits_(limits),
        pool_(pool),
        report_(report),
        root_(RngKey::from_seed(seed).fold("pomcgs")),
        values_(make_mdp_value(model, options.mdp, root_.fold("mdp"), pool)),
        study_(study_actions(model, root_.fold("study"), pool)),
        blind_(model, study_, options.sims, root_.fold("blind"), pool),
        cells_(model, *values_, blind_, options, root_.fold("cells"), pool),
        supports_(model, study_, blind_, cells_, options, root_.fold("step")),
        graph_(model, supports_, blind_, options, root_.fold("graph"), pool),
        search_(model, options, graph_, root_.fold("trials")) {}

  Solution solve() {
    if (!resume()) {
      start();
      evaluate_now();
    }
    std::string status;
    while (true) {
      status = reason_to_stop();
      if (status.empty() && backups_ >= next_evaluation_) {
        evaluate_now();
        status = reason_to_stop();
      }
      if (!status.empty()) break;
      search_.round(round_++, full());
      backups_ += options_.trials;
      if (limits_.checkpoints && limits_.checkpoints->due()) save();
    }
    if (limits_.checkpoints) save();
    if (evaluated_at_ != backups_) evaluate_now();
    return finish(status);
  }

 private:
  double seconds() const {
    return before_ + std::chrono::duration<double>(Clock::now() - start_).count();
  }

  // As many draws of b0 as give `particles` different states; where there are not so many, many.
  void start() {
    constexpr size_t kDraws = 20;  // per particle
    const auto particles = static_cast<size_t>(options_.particles);
    RecordBuffer states(model_.state_size(), kDraws * particles), alive(model_.state_size());
    model_.sample_initial({root_.fold("initial")}, states);
    std::vector<uint8_t> ended(states.count());
    model_.is_terminal(states, ended);
    nvi::RecordSet distinct(model_.state_size(), particles);
    for (size_t i = 0; i < states.count(); ++i) {
      if (ended[i]) continue;
      distinct.insert(states.at(i));
      if (static_cast<size_t>(distinct.count()) > particles) break;
      alive.push_back(states.at(i));
    }
    if (alive.empty()) throw Error(model_.facts().name + ": every episode ends before it begins");
    std::vector<int32_t> cells(alive.count());
    cells_.insert(alive, cells, pool_);
    graph_.add_root(std::move(cells));
  }

  // Everything that rounds change and later rounds depend on.
  template <class Archive>
  void archive(Archive& a) {
    double spent = seconds();
    a(spent, round_, backups_, evaluated_at_, next_evaluation_, cells_, supports_, graph_, search_,
      best_, best_score_, live_);
    if constexpr (Archive::kLoading) before_ = spent;
  }
  void save() {
    limits_.checkpoints->save([this](Saver& saver) { archive(saver); });
  }
  bool resume() {
    return limits_.checkpoints &&
           limits_.checkpoints->resume([this](Loader& loader) { archive(loader); });
  }

  bool full() const {
    return limits_.memory > 0 && static_cast<double>(resident_bytes()) >= kFull * limits_.memory;
  }

  void judge(Fsc fsc) {
    EvaluateOptions o;
    o.episodes = options_.evaluations;
    o.seed = 0x5eed;  // always the same episodes: a paired comparison
    const Score score = evaluate(model_, FscPolicy(fsc, model_.facts()), o, pool_);
    live_ = std::max(live_, fsc.num_nodes());
    if (best_.num_nodes() > 0 && score.mean <= best_score_.mean) return;
    best_ = std::move(fsc);
    best_score_ = score;
  }

  void evaluate_now() {
    graph_.sweep();
    live_ = 0;
    judge(graph_.controller(BeliefGraph::Reading::kGraph));
    if (options_.borrow) judge(graph_.controller(BeliefGraph::Reading::kPlans));
    evaluated_at_ = backups_;
    next_evaluation_ = std::max(
        kFirstEvaluation, static_cast<uint64_t>(static_cast<double>(backups_) * kEvaluationGrowth));
    if (!report_) return;
    SolveProgress progress;
    progress.seconds = seconds();
    progress.backups = backups_;
    progress.nodes = live_;
    progress.estimate = graph_[0].lower;
    progress.simulated = best_score_;
    progress.upper = graph_[0].upper;
    progress.simulator_steps = supports_.steps();
    progress.memory = static_cast<double>(resident_bytes());
    report_(progress);
  }

  std::string reason_to_stop() const {
    const double gap = graph_[0].upper - best_score_.low;
    const std::string limit = reached_limit(limits_, {gap, backups_, live_, seconds()}, kOver);
    return limit.empty() && search_.idle() >= kIdleRounds ? "converged" : limit;
  }

  Solution finish(const std::string& status) {
    Solution s;
    s.status = status;
    s.seconds = seconds();
    s.backups = backups_;
    s.estimate = best_score_.mean;
    s.upper = graph_[0].upper;
    s.controller.fsc = minimised(best_);
    s.controller.alpha.assign(s.controller.fsc.num_nodes(), -1);
    s.simulator_steps = supports_.steps();
    return s;
  }

  const Pomdp& model_;
  const PomcgsOptions& options_;
  const Limits& limits_;
  ThreadPool& pool_;
  const Solver::Report& report_;
  Clock::time_point start_ = Clock::now();
  double before_ = 0;  // seconds of the run before it was resumed
  RngKey root_;
  std::unique_ptr<MdpValue> values_;
  ActionStudy study_;
  BlindPolicies blind_;
  Cells cells_;
  Supports supports_;
  BeliefGraph graph_;
  Search search_;
  uint64_t round_ = 0, backups_ = 0, evaluated_at_ = 0, next_evaluation_ = kFirstEvaluation;
  int live_ = 0;
  Fsc best_;
  Score best_score_;
};

}  // namespace

Solution PomcgsSolver::solve(const Pomdp& model, const Limits& limits, uint64_t seed,
                             ThreadPool& pool, const Report& report) {
  require(model, needs(), "pomcgs");
  return Run(model, options_, limits, seed, pool, report).solve();
}

}  // namespace penumbra::pomcgs

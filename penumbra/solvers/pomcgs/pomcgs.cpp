#include "penumbra/solvers/pomcgs/pomcgs.h"

#include <chrono>
#include <cmath>
#include <numeric>

#include "penumbra/base/memory.h"
#include "penumbra/model/tabular_pomdp.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/archive_parts.h"
#include "penumbra/solvers/pomcgs/search.h"
#include "penumbra/solvers/reached_limit.h"

namespace penumbra::pomcgs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kFirstEvaluation = 32;   // trials
constexpr double kEvaluationGrowth = 1.25;  // trials from one evaluation to the next
constexpr double kFull = 0.8;               // share of the memory beyond which no belief is added
constexpr double kOver = 0.95;              // and beyond which the search ends
constexpr int kIdleTrials = 6400;           // trials that try nothing new: converged

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
        grid_(make_grid()),
        planned_(grid_ ? *grid_ : model),
        values_(make_mdp_value(planned_, grid_ ? MdpValueOptions{"table"} : options.mdp,
                               root_.fold("mdp"), pool)),
        study_(study_actions(planned_, root_.fold("study"), pool)),
        blind_(grid_ ? BlindPolicies(planned_, grid_->tabular(), pool)
                     : BlindPolicies(model, study_, options.sims, root_.fold("blind"), pool)),
        cells_(planned_, *values_, blind_, root_.fold("cells"), pool),
        supports_(planned_, study_, blind_, cells_, options, root_.fold("step"),
                  grid_ ? &grid_->tabular() : nullptr),
        graph_(planned_, supports_, blind_, options, root_.fold("graph"), pool),
        search_(planned_, options, graph_, root_.fold("trials")) {}

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

  // The model seen through a grid of its coordinates, where that is wanted.
  std::unique_ptr<TabularPomdp> make_grid() const {
    const bool can = model_.has(abstraction_needs()) && !model_.has(Capability::kTable);
    if (options_.grid == "no" || (options_.grid == "auto" && !can)) return nullptr;
    return std::make_unique<TabularPomdp>(
        abstract_model(model_, options_.cells, root_.fold("grid"), pool_));
  }

  void start_on_grid() {
    const Tabular& table = grid_->tabular();
    RecordBuffer states(planned_.state_size());
    Row start;
    for (int s = 0; s < table.num_states; ++s) {
      if (table.terminal[s]) continue;
      states.push_back(reinterpret_cast<const std::byte*>(&s));
      start.weights.push_back(static_cast<float>(table.start[s]));
    }
    std::vector<int32_t> cells(states.count());
    cells_.insert(states, cells, pool_);
    graph_.add_root(std::move(start), supports_.insert(std::move(cells)));
  }

  // As many draws of b0 as give `particles` different states; where there are not so many, many.
  void start() {
    if (grid_) return start_on_grid();
    RecordBuffer alive(model_.state_size());
    if (options_.particles > 0)
      draw_start(options_.particles, alive);
    else if (!draw_start(kAllParticles, alive))
      draw_start(kSomeParticles, alive);
    if (alive.empty()) throw Error(model_.facts().name + ": every episode ends before it begins");
    std::vector<int32_t> cells(alive.count());
    cells_.insert(alive, cells, pool_);
    graph_.add_root(std::move(cells));
  }

  // False: b0 has more than `most` different states; the draws of the first of them are in `alive`.
  bool draw_start(int most, RecordBuffer& alive) const {
    constexpr size_t kDraws = 100;  // per particle
    RecordBuffer states(model_.state_size(), kDraws * most);
    alive.resize(0);
    model_.sample_initial({root_.fold("initial")}, states);
    std::vector<uint8_t> ended(states.count());
    model_.is_terminal(states, ended);
    nvi::RecordSet distinct(model_.state_size(), most);
    for (size_t i = 0; i < states.count(); ++i) {
      if (ended[i]) continue;
      distinct.insert(states.at(i));
      if (distinct.count() > most) return false;
      alive.push_back(states.at(i));
    }
    return true;
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
    return limit.empty() && search_.idle() * options_.trials >= kIdleTrials ? "converged" : limit;
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
  std::unique_ptr<TabularPomdp> grid_;
  const Pomdp& planned_;  // the model, or its grid
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

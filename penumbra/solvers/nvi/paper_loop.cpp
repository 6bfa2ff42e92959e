#include "penumbra/solvers/nvi/paper_loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "penumbra/base/memory.h"
#include "penumbra/solvers/nvi/collect_beliefs.h"
#include "penumbra/solvers/nvi/network_backup.h"

namespace penumbra::nvi {
namespace {

constexpr int kStartCandidates = 10;  // of start = simulation

class PaperLoop {
 public:
  PaperLoop(const Pomdp& model, const LoopOptions& o, const std::string& name,
            const MakePaperBackup& make_backup, const MdpValue& mdp, const Limits& limits,
            uint64_t seed, ThreadPool& pool, const Solver::Report& report)
      : model_(model),
        o_(o),
        limits_(limits),
        seed_(seed),
        key_(RngKey::from_seed(seed).fold(name)),
        pool_(pool),
        report_(report),
        backup_(make_backup(key_, work_)),
        tree_(model, mdp, {o.num_particles, o.bound_particles, o.use_likelihood}, key_.fold("tree"),
              pool, work_) {
    best_.num_observations = model.facts().num_observations;
  }

  Solution run() {
    Checkpoints* checkpoints = limits_.checkpoints;
    if (checkpoints && checkpoints->resume([this](Loader& loader) { archive(loader); }))
      out_of_budget();
    while (status_.empty()) {  // line 3
      if (!in_iteration_) collect();
      while (status_.empty() && next_ < beliefs_.size()) {  // lines 5-6
        if (backups_ > 0 && backups_ % static_cast<uint64_t>(o_.evaluate_every) == 0) report();
        if (!back_up(beliefs_[next_])) {
          out_of_budget();
          break;
        }
        ++next_;
        if (!out_of_budget() && checkpoints && checkpoints->due()) save();
      }
      if (!status_.empty()) break;
      report();
      in_iteration_ = false;
      check_convergence();
    }
    if (checkpoints) save();
    report();
    return solution();
  }

 private:
  double seconds() const {
    return before_ +
           std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

  template <class Archive>
  void archive(Archive& a) {
    double spent = seconds();
    a(spent);
    if constexpr (Archive::kLoading) before_ = spent;
    backup_->archive(a);
    a(work_, tree_, best_, score_, best_score_, backups_, reported_, judged_nodes_, estimate_,
      values_, in_iteration_, beliefs_, next_);
  }
  void save() {
    limits_.checkpoints->save([this](Saver& saver) { archive(saver); });
  }

  void collect() {
    PhaseTimer timer(work_.collect);
    beliefs_ = collect_beliefs(tree_, *backup_, {o_.epsilon, o_.max_depth});  // line 4
    if (o_.order == "reverse") std::reverse(beliefs_.begin(), beliefs_.end());
    next_ = 0;
    in_iteration_ = true;
  }

  // False: it was stopped on the way, and nothing has changed.
  bool back_up(int belief) {
    const RngKey key = key_.fold("backup").fold(backups_);
    if (!backup_->run(tree_[belief].belief, key, [this] { return must_stop(); })) return false;
    ++backups_;
    PhaseTimer timer(work_.predict);
    tree_.update_lower(belief, *backup_);
    return true;
  }

  bool must_stop() const {
    return (limits_.cancelled && limits_.cancelled()) ||
           (limits_.seconds > 0 && seconds() >= limits_.seconds);
  }

  bool out_of_budget() {
    if (limits_.cancelled && limits_.cancelled())
      status_ = "cancelled";
    else if (limits_.backups > 0 && backups_ >= limits_.backups)
      status_ = "backups";
    else if (limits_.nodes > 0 && backup_->fsc().num_nodes() >= limits_.nodes)
      status_ = "nodes";
    else if (limits_.memory > 0 && static_cast<double>(resident_bytes()) >= limits_.memory)
      status_ = "memory";
    else if (limits_.seconds > 0 && seconds() >= limits_.seconds)
      status_ = "time";
    return !status_.empty();
  }

  void check_convergence() {
    if (!status_.empty()) return;
    values_.push_back(estimate_);
    const double upper = tree_[0].upper;
    const size_t n = values_.size(), window = static_cast<size_t>(o_.patience) + 1;
    if (limits_.gap > 0 && upper - best_score_.mean <= limits_.gap) status_ = "gap";
    if (upper - tree_[0].lower <= o_.epsilon) status_ = "converged";
    if (n < window) return;
    const auto [low, high] =
        std::minmax_element(values_.end() - std::ptrdiff_t(window), values_.end());
    if (*high - *low < o_.tolerance) status_ = "converged";
  }

  Score simulate_from(int node) {
    Fsc fsc = backup_->fsc();
    fsc.start = node;
    const Score score =
        evaluate(model_, FscPolicy(std::move(fsc), model_.facts()),
                 {.episodes = static_cast<uint64_t>(o_.episodes), .seed = seed_}, pool_);
    work_.simulator_steps += static_cast<double>(score.steps);
    return score;
  }

  // V(b0) = max over nodes. Chooses n0, simulates the controller, keeps the best one so far.
  void judge() {
    const std::vector<double> value =
        backup_->all_values(tree_[0].belief, key_.fold("root"), [this] { return must_stop(); });
    if (value.empty()) return;
    std::vector<int> order(value.size());
    std::iota(order.begin(), order.end(), 0);
    const int wanted = std::min(static_cast<int>(value.size()), o_.start_candidates);
    std::partial_sort(order.begin(), order.begin() + wanted, order.end(), [&](int a, int b) {
      return value[a] != value[b] ? value[a] > value[b] : a < b;
    });
    estimate_ = value[order[0]];
    PhaseTimer timer(work_.evaluate);
    int start = order[0];
    for (int i = 0; i < wanted; ++i) {
      const Score score = simulate_from(order[i]);
      if (i > 0 && score.mean <= score_.mean) continue;
      score_ = score;
      start = order[i];
    }
    if (best_.num_nodes() > 0 && score_.mean <= best_score_.mean) return;
    best_ = backup_->fsc();
    best_.start = start;
    best_score_ = score_;
  }

  void report() {
    const int nodes = backup_->fsc().num_nodes();
    if (nodes == 0 || reported_ == backups_) return;
    reported_ = backups_;
    if (judged_nodes_ != nodes) judge();  // otherwise nothing has changed
    judged_nodes_ = nodes;
    if (!report_) return;
    SolveProgress progress{seconds(),
                           backups_,
                           nodes,
                           estimate_,
                           score_,
                           tree_[0].upper,
                           false,
                           work_.simulator_steps,
                           work_.network_evaluations,
                           static_cast<double>(resident_bytes())};
    progress.training_error = backup_->take_training_error();
    report_(progress);
  }

  Solution solution() {
    Solution s;
    s.status = status_;
    s.seconds = seconds();
    s.backups = backups_;
    s.estimate = estimate_;
    s.upper = tree_[0].upper;
    s.controller = backup_->with_networks(best_);
    s.timings = {{"collect", work_.collect}, {"simulate", work_.simulate},
                 {"predict", work_.predict}, {"generate", work_.generate},
                 {"train", work_.train},     {"evaluate", work_.evaluate}};
    s.simulator_steps = work_.simulator_steps;
    s.network_evaluations = work_.network_evaluations;
    return s;
  }

  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  const Pomdp& model_;
  const LoopOptions& o_;
  const Limits& limits_;
  uint64_t seed_;
  RngKey key_;
  ThreadPool& pool_;
  const Solver::Report& report_;
  PaperWork work_;
  std::unique_ptr<PaperBackup> backup_;  // and G
  BeliefTree tree_;
  Fsc best_;  // by simulated value
  Score score_, best_score_;
  std::string status_;
  uint64_t backups_ = 0, reported_ = 0;
  int judged_nodes_ = 0;
  double estimate_ = 0;
  std::vector<double> values_;  // V(b0) after each iteration
  std::vector<int> beliefs_;    // of this iteration
  size_t next_ = 0;             // of them
  bool in_iteration_ = false;
  double before_ = 0;  // seconds of the run before it was resumed
};

}  // namespace

void LoopOptions::list_loop(OptionList& list) {
  list.add("particles", num_particles, 1, 10'000'000, "nb_particle: particles per belief");
  list.add("max-depth", max_depth, 1, 100'000, "L: longest walk down the belief tree");
  list.add("epsilon", epsilon, 0, 1e9, "gap at b0 that is good enough");
  list.add("bound-particles", bound_particles, 1, 10'000'000,
           "particles for the upper and lower value of a belief");
  list.add("likelihood", use_likelihood, "weigh particles where the model has a likelihood");
  list.add("order", order, {"forward", "reverse"}, "of the backups along a walk");
  list.add("tolerance", tolerance, 0, 1e9, "change of V(b0) that counts as converged");
  list.add("patience", patience, 1, 1'000'000, "iterations without such a change");
  list.add("evaluate-every", evaluate_every, 1, 1'000'000, "backups between simulated values");
  list.add("episodes", episodes, 1, 100'000'000, "of a simulated value");
}

void PaperOptions::list(OptionList& list) {
  std::vector<std::string> shapes;
  for (const nn::Preset& p : nn::presets()) shapes.emplace_back(p.name);
  list_loop(list);
  list.add("samples", num_samples, 1, 10'000'000, "nb_sample: training states");
  list.add("sims", num_sims, 1, 100'000, "nb_sim: simulations per training state");
  list.add("sample-depth", sample_depth, 0, 1'000'000, "longest episode of training states");
  list.add("local-samples", local_samples, 0, 10'000'000,
           "train on so many of the belief's own particles as well");
  list.add("targets", targets, {"bootstrap", "rollout"}, "what networks are trained towards");
  list.add("form", form, {"networks", "heads"}, "a network per node, or heads on shared features");
  list.add("network", network, shapes, "hidden layers");
  list.add("features", features, 2, 100'000, "random features of heads");
  list.add("training", training, {"paper", "default"}, "when training stops");
  list.add("learning-rate", learning_rate, 1e-8, 1, "of Adam");
  list.add("batch", batch, 1, 10'000'000, "rows per training step");
  list.add("target-mse", target_mse, 0, 1e9, "training stops below this error");
  list.add("max-epochs", max_epochs, 1, 10'000'000, "or after these epochs");
  list.add("start", start, {"network", "simulation"}, "how the start node is chosen");
}

Solution run_paper_loop(const Pomdp& model, const LoopOptions& options, const std::string& name,
                        const MakePaperBackup& make_backup, const MdpValue& mdp,
                        const Limits& limits, uint64_t seed, ThreadPool& pool,
                        const Solver::Report& report) {
  return PaperLoop(model, options, name, make_backup, mdp, limits, seed, pool, report).run();
}

Solution solve_by_bounds(const Pomdp& model, const PaperOptions& options, const MdpValue& mdp,
                         const Limits& limits, uint64_t seed, ThreadPool& pool,
                         const Solver::Report& report) {
  require(model,
          Capabilities(Capability::kFiniteActions) | Capability::kFiniteObservations |
              Capability::kFeatures,
          "nvi");
  LoopOptions loop = options;
  loop.start_candidates = options.start == "simulation" ? kStartCandidates : 1;
  return run_paper_loop(
      model, loop, "nvi paper",
      [&](RngKey key, PaperWork& work) {
        return std::make_unique<NetworkBackup>(model, options, key, pool, work);
      },
      mdp, limits, seed, pool, report);
}

}  // namespace penumbra::nvi

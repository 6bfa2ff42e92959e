#include "penumbra/solvers/nvi/paper_loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "penumbra/base/memory.h"
#include "penumbra/solvers/nvi/collect_beliefs.h"
#include "penumbra/solvers/nvi/fit_errors.h"
#include "penumbra/solvers/nvi/neural_backup.h"

namespace penumbra::nvi {
namespace {

constexpr int kStartCandidates = 10;

nn::BankOptions bank_options(const PaperOptions& o) {
  nn::BankOptions bank;
  bank.form = nn::bank_form(o.form);
  bank.features = o.features;
  bank.hidden = nn::preset(o.network);
  bank.fit = nn::FitOptions::preset(o.training);
  bank.fit.adam.rate = static_cast<decltype(bank.fit.adam.rate)>(o.learning_rate);
  bank.fit.batch = o.batch;
  bank.fit.target_mse = o.target_mse;
  bank.fit.max_epochs = o.max_epochs;
  return bank;
}

NeuralBackupOptions backup_options(const PaperOptions& o) {
  NeuralBackupOptions b;
  b.num_particles = o.num_particles;
  b.num_samples = o.num_samples;
  b.sample_depth = o.sample_depth;
  b.local_samples = o.local_samples;
  b.data.num_sims = o.num_sims;
  b.data.targets = o.targets == "rollout" ? Targets::kRollout : Targets::kBootstrap;
  return b;
}

class PaperLoop {
 public:
  PaperLoop(const Pomdp& model, const PaperOptions& o, const MdpValue& mdp, const Limits& limits,
            uint64_t seed, ThreadPool& pool, const Solver::Report& report)
      : model_(model),
        o_(o),
        limits_(limits),
        seed_(seed),
        key_(RngKey::from_seed(seed).fold("nvi paper")),
        pool_(pool),
        report_(report),
        bank_(nn::make_bank(model.features(), bank_options(o), key_.fold("bank"))),
        tree_(model, mdp, {o.num_particles, o.bound_particles, o.use_likelihood}, key_.fold("tree"),
              pool, work_) {
    set_up_backup();
    fnc_.networks = bank_;  // G is empty: Alg. 2, line 2
    fnc_.fsc.num_observations = model.facts().num_observations;
    best_.num_observations = fnc_.fsc.num_observations;
  }

  Solution run() {
    Checkpoints* checkpoints = limits_.checkpoints;
    if (checkpoints && checkpoints->resume([this](Loader& loader) { archive(loader); }))
      out_of_budget();
    while (status_.empty()) {  // line 3
      if (!in_iteration_) collect();
      while (status_.empty() && next_ < beliefs_.size()) {  // lines 5-6
        if (backups_ > 0 && backups_ % static_cast<uint64_t>(o_.evaluate_every) == 0) report();
        back_up(beliefs_[next_++]);
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
    nn::Bytes bank;
    if constexpr (!Archive::kLoading) bank = bank_->save();
    a(spent, bank);
    if constexpr (Archive::kLoading) {
      before_ = spent;
      fnc_.networks = bank_ = nn::load_bank(bank, bank_options(o_));
      set_up_backup();
    }
    a(work_, tree_, fnc_.fsc, fnc_.alpha, best_, score_, best_score_, backups_, reported_,
      judged_nodes_, estimate_, values_, in_iteration_, beliefs_, next_);
  }
  void save() {
    limits_.checkpoints->save([this](Saver& saver) { archive(saver); });
  }

  // Samples the training states and gives them to the bank.
  void set_up_backup() {
    backup_.emplace(model_, backup_options(o_), *bank_, key_.fold("backup"), pool_, work_);
  }

  void collect() {
    PhaseTimer timer(work_.collect);
    beliefs_ = collect_beliefs(tree_, *bank_, {o_.epsilon, o_.max_depth});  // line 4
    if (o_.order == "reverse") std::reverse(beliefs_.begin(), beliefs_.end());
    next_ = 0;
    in_iteration_ = true;
  }

  void back_up(int belief) {
    fit_errors_.add(
        backup_->run(fnc_, tree_[belief].belief, key_.fold("backup").fold(backups_)).fit);
    ++backups_;
    PhaseTimer timer(work_.predict);
    tree_.update_lower(belief, *bank_);
  }

  bool out_of_budget() {
    if (limits_.cancelled && limits_.cancelled())
      status_ = "cancelled";
    else if (limits_.backups > 0 && backups_ >= limits_.backups)
      status_ = "backups";
    else if (limits_.nodes > 0 && fnc_.fsc.num_nodes() >= limits_.nodes)
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

  // V(b0) = max over nodes, and n0.
  std::vector<double> root_values() {
    PhaseTimer timer(work_.predict);
    const Particles& root = tree_[0].belief;
    const int rows = static_cast<int>(root.count());
    FeatureBatch batch(bank_->layout(), rows);
    model_.encode(root.states, batch);
    std::vector<int32_t> group(rows, 0);
    std::vector<float> weights(rows);
    for (int i = 0; i < rows; ++i) weights[i] = static_cast<float>(root.weight(i));
    std::vector<double> sums(bank_->size());
    bank_->predict_sums(batch, {group, 1, weights}, sums, &pool_);
    work_.network_evaluations += static_cast<double>(rows) * bank_->size();
    std::vector<double> by_node(fnc_.fsc.num_nodes());
    for (size_t n = 0; n < by_node.size(); ++n) by_node[n] = sums[fnc_.alpha[n]];
    return by_node;
  }

  Score simulate_from(int node) {
    fnc_.fsc.start = node;
    const Score score =
        evaluate(model_, FscPolicy(fnc_.fsc, model_.facts()),
                 {.episodes = static_cast<uint64_t>(o_.episodes), .seed = seed_}, pool_);
    work_.simulator_steps += static_cast<double>(score.steps);
    return score;
  }

  // Chooses n0, simulates the controller, keeps the best one so far.
  void judge() {
    const int nodes = fnc_.fsc.num_nodes();
    const std::vector<double> value = root_values();
    std::vector<int> order(nodes);
    std::iota(order.begin(), order.end(), 0);
    const int wanted = o_.start == "simulation" ? std::min(nodes, kStartCandidates) : 1;
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
    fnc_.fsc.start = start;
    if (best_.num_nodes() > 0 && score_.mean <= best_score_.mean) return;
    best_ = fnc_.fsc;
    best_score_ = score_;
  }

  void report() {
    const int nodes = fnc_.fsc.num_nodes();
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
    progress.training_error = fit_errors_.take();
    report_(progress);
  }

  Solution solution() {
    Solution s;
    s.status = status_;
    s.seconds = seconds();
    s.backups = backups_;
    s.estimate = estimate_;
    s.upper = tree_[0].upper;
    // Nodes are only ever appended: the best controller is a beginning of the last one.
    s.controller.fsc = best_;
    s.controller.alpha.assign(fnc_.alpha.begin(), fnc_.alpha.begin() + best_.num_nodes());
    bank_->keep(s.controller.alpha);
    std::iota(s.controller.alpha.begin(), s.controller.alpha.end(), 0);
    s.controller.networks = bank_;
    s.timings = {{"collect", work_.collect}, {"simulate", work_.simulate},
                 {"predict", work_.predict}, {"generate", work_.generate},
                 {"train", work_.train},     {"evaluate", work_.evaluate}};
    s.simulator_steps = work_.simulator_steps;
    s.network_evaluations = work_.network_evaluations;
    return s;
  }

  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  const Pomdp& model_;
  const PaperOptions& o_;
  const Limits& limits_;
  uint64_t seed_;
  RngKey key_;
  ThreadPool& pool_;
  const Solver::Report& report_;
  PaperWork work_;
  std::shared_ptr<nn::ValueBank> bank_;
  BeliefTree tree_;
  std::optional<NeuralBackup> backup_;
  Fnc fnc_;   // G
  Fsc best_;  // by simulated value
  Score score_, best_score_;
  std::string status_;
  uint64_t backups_ = 0, reported_ = 0;
  FitErrors fit_errors_;
  int judged_nodes_ = 0;
  double estimate_ = 0;
  std::vector<double> values_;  // V(b0) after each iteration
  std::vector<int> beliefs_;    // of this iteration
  size_t next_ = 0;             // of them
  bool in_iteration_ = false;
  double before_ = 0;  // seconds of the run before it was resumed
};

}  // namespace

void PaperOptions::list(OptionList& list) {
  std::vector<std::string> shapes;
  for (const nn::Preset& p : nn::presets()) shapes.emplace_back(p.name);
  list.add("particles", num_particles, 1, 10'000'000, "nb_particle: particles per belief");
  list.add("samples", num_samples, 1, 10'000'000, "nb_sample: training states");
  list.add("sims", num_sims, 1, 100'000, "nb_sim: simulations per training state");
  list.add("max-depth", max_depth, 1, 100'000, "L: longest walk down the belief tree");
  list.add("epsilon", epsilon, 0, 1e9, "gap at b0 that is good enough");
  list.add("bound-particles", bound_particles, 1, 10'000'000,
           "particles for the upper and lower value of a belief");
  list.add("likelihood", use_likelihood, "weigh particles where the model has a likelihood");
  list.add("sample-depth", sample_depth, 0, 1'000'000, "longest episode of training states");
  list.add("order", order, {"forward", "reverse"}, "of the backups along a walk");
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
  list.add("tolerance", tolerance, 0, 1e9, "change of V(b0) that counts as converged");
  list.add("patience", patience, 1, 1'000'000, "iterations without such a change");
  list.add("start", start, {"network", "simulation"}, "how the start node is chosen");
  list.add("evaluate-every", evaluate_every, 1, 1'000'000, "backups between simulated values");
  list.add("episodes", episodes, 1, 100'000'000, "of a simulated value");
}

Solution solve_by_bounds(const Pomdp& model, const PaperOptions& options, const MdpValue& mdp,
                         const Limits& limits, uint64_t seed, ThreadPool& pool,
                         const Solver::Report& report) {
  require(model,
          Capabilities(Capability::kFiniteActions) | Capability::kFiniteObservations |
              Capability::kFeatures,
          "nvi");
  return PaperLoop(model, options, mdp, limits, seed, pool, report).run();
}

}  // namespace penumbra::nvi

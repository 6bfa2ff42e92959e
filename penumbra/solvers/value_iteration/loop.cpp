#include "penumbra/solvers/value_iteration/loop.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/solvers/anytime.h"
#include "penumbra/solvers/best_so_far.h"
#include "penumbra/solvers/value_iteration/belief_tree.h"
#include "penumbra/solvers/value_iteration/collect_beliefs.h"

namespace penumbra::value_iteration {
namespace {

// A round is one backup: Alg. 2, line 6.
class Loop final : public Rounds {
 public:
  Loop(const Pomdp& model, const LoopOptions& o, const std::string& name,
       const MakeBackup& make_backup, const MdpValue& mdp, uint64_t seed, ThreadPool& pool)
      : model_(model),
        o_(o),
        seed_(seed),
        key_(RngKey::from_seed(seed).fold(name)),
        pool_(pool),
        backup_(make_backup(key_, work_)),
        tree_(model, mdp, {o.num_particles, o.bound_particles, o.use_likelihood}, key_.fold("tree"),
              pool, work_) {}

  void start() override {}

  bool round(const Stop& stop) override {
    if (next_ == beliefs_.size() && !collect(stop)) return false;
    const int belief = beliefs_[next_];
    const RngKey key = key_.fold("backup").fold(backups_);
    if (!backup_->run(tree_[belief].belief, key, stop)) return false;  // and nothing has changed
    ++backups_;
    iteration_over_ = ++next_ == beliefs_.size();
    PhaseTimer timer(work_, Phase::kPredict);
    tree_.update_lower(belief, *backup_);
    return true;
  }

  uint64_t backups() const override { return backups_; }
  Standing standing() const override {
    const bool often = backups_ > 0 && backups_ % static_cast<uint64_t>(o_.evaluate_every) == 0;
    return {.nodes = backup_->fsc().num_nodes(),
            .gap = best_.gap(tree_[0].upper),
            .converged = converged_,
            .judge = iteration_over_ || often};
  }

  void evaluate(SolveProgress& line, const Stop& stop) override {
    const int nodes = backup_->fsc().num_nodes();
    if (nodes > 0 && judged_nodes_ != nodes) judge_start(stop);  // otherwise nothing has changed
    judged_nodes_ = nodes;
    if (iteration_over_) check_convergence();
    iteration_over_ = false;
    line.estimate = estimate_;
    line.simulated = score_;
    line.upper = {tree_[0].upper, UpperKind::kEstimate};
    line.training_error = backup_->take_training_error();
  }

  const Work& work() const override { return work_; }

  void finish(Solution& s) override {
    s.estimate = estimate_;
    s.upper = {tree_[0].upper, UpperKind::kEstimate};
    Fsc best = best_.policy();
    if (best.num_nodes() == 0) {  // not one backup was made
      best.num_observations = model_.facts().num_observations;
      best.add_node(0);
      s.policy = std::make_shared<Fnc>(Fnc{best});
      return;
    }
    s.policy = std::make_shared<Fnc>(backup_->with_networks(best));
  }

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 private:
  template <class Archive>
  void archive_all(Archive& a) {
    backup_->archive(a);
    a(work_, tree_, best_, score_, backups_, judged_nodes_, estimate_, values_, converged_,
      iteration_over_, beliefs_, next_, walks_);
  }

  // False: it was stopped, and a resumed run walks again.
  bool collect(const Stop& stop) {
    PhaseTimer timer(work_, Phase::kCollect);
    std::vector<int> beliefs =
        collect_beliefs(tree_, *backup_,
                        {.epsilon = o_.epsilon,
                         .max_depth = o_.max_depth,
                         .look_ahead = o_.bounds == "look-ahead",
                         .follow = o_.walk == "policy",
                         .leave = o_.leave,
                         .actions = backup_->fsc().action,
                         .key = key_.fold("walk").fold(walks_),
                         .stop = pool_.team().leads() ? stop : Stop()});  // line 4
    if (beliefs.empty()) return false;
    ++walks_;
    beliefs_ = std::move(beliefs);
    if (o_.order == "reverse") std::reverse(beliefs_.begin(), beliefs_.end());
    next_ = 0;
    return true;
  }

  // Line 3: V(b0) has hardly changed for some iterations, or the bounds have met.
  void check_convergence() {
    values_.push_back(estimate_);
    if (tree_[0].upper - tree_[0].lower <= o_.epsilon) converged_ = true;
    const int patience = o_.patience > 0 ? o_.patience : o_.max_depth;
    const size_t n = values_.size(), window = static_cast<size_t>(patience) + 1;
    if (n < window) return;
    const auto [low, high] =
        std::minmax_element(values_.end() - std::ptrdiff_t(window), values_.end());
    if (*high - *low < o_.tolerance) converged_ = true;
  }

  Score simulate_from(int node) {
    Fsc fsc = backup_->fsc();
    fsc.start = node;
    const Score score =
        penumbra::evaluate(model_, FscPolicy(std::move(fsc), model_.facts()),
                           {.episodes = static_cast<uint64_t>(o_.episodes), .seed = seed_}, pool_);
    work_.simulator_steps += static_cast<double>(score.steps);
    return score;
  }

  // V(b0) = max over nodes. Chooses n0, simulates the controller, keeps the best one so far.
  void judge_start(const Stop& stop) {
    std::vector<double> value = backup_->all_values(tree_[0].belief, key_.fold("root"), stop);
    pool_.team().send_to_all(value);  // where it was stopped: as far as rank 0 came
    if (value.empty()) return;
    std::vector<int> order(value.size());
    std::iota(order.begin(), order.end(), 0);
    const int wanted = std::min(static_cast<int>(value.size()), o_.start_candidates);
    std::partial_sort(order.begin(), order.begin() + wanted, order.end(), [&](int a, int b) {
      return value[a] != value[b] ? value[a] > value[b] : a < b;
    });
    estimate_ = value[order[0]];
    PhaseTimer timer(work_, Phase::kEvaluate);
    int start = order[0];
    for (int i = 0; i < wanted; ++i) {
      const Score score = simulate_from(order[i]);
      if (i > 0 && score.mean <= score_.mean) continue;
      score_ = score;
      start = order[i];
    }
    if (!best_.beaten_by(score_)) return;
    Fsc best = backup_->fsc();
    best.start = start;
    best_.take(std::move(best), score_);
  }

  const Pomdp& model_;
  const LoopOptions& o_;
  uint64_t seed_;
  RngKey key_;
  ThreadPool& pool_;
  Work work_;
  std::unique_ptr<Backup> backup_;  // and G
  BeliefTree tree_;
  BestSoFar<Fsc> best_;
  Score score_;
  uint64_t backups_ = 0;
  int judged_nodes_ = 0;
  double estimate_ = 0;
  std::vector<double> values_;  // V(b0) after each iteration
  bool converged_ = false;
  std::vector<int> beliefs_;  // of this iteration
  size_t next_ = 0;           // of them
  uint64_t walks_ = 0;
  bool iteration_over_ = false;  // and not judged yet
};

}  // namespace

void LoopOptions::list_loop(OptionList& list) {
  list.add("particles", num_particles, 1, 10'000'000, "nb_particle: particles per belief");
  list.add("max-depth", max_depth, 1, 100'000, "L: longest walk down the belief tree");
  list.add("epsilon", epsilon, 0, 1e9, "gap at b0 that is good enough");
  list.add("bound-particles", bound_particles, 1, 10'000'000,
           "particles for the upper and lower value of a belief");
  list.add("likelihood", use_likelihood, "weigh particles where the model has a likelihood");
  list.add("bounds", bounds, {"preset", "qmdp", "look-ahead"},
           "upper Q of actions that were never taken: QMDP, or from their children");
  list.add("walk", walk, {"preset", "bounds", "policy"},
           "beliefs by the upper bound alone, or by the controller first");
  list.add("leave", leave, 0, 1, "chance per step that a walk leaves the controller");
  list.add("order", order, {"preset", "forward", "reverse"}, "of the backups along a walk");
  list.add("tolerance", tolerance, 0, 1e9, "change of V(b0) that counts as converged");
  list.add("patience", patience, 0, 1'000'000,
           "iterations without such a change; 0: as many as a walk has steps");
  list.add("evaluate-every", evaluate_every, 1, 1'000'000, "backups between simulated values");
  list.add("episodes", episodes, 1, 100'000'000, "of a simulated value");
}

Solution run_loop(const Pomdp& model, const LoopOptions& options, const std::string& name,
                  const MakeBackup& make_backup, const MdpValue& mdp, const Limits& limits,
                  uint64_t seed, ThreadPool& pool, const Solver::Report& report) {
  Anytime frame(limits, report, pool, {.first = UINT64_MAX, .at_start = false, .slack = 0});
  Loop loop(model, options, name, make_backup, mdp, seed, pool);
  return frame.run(loop);
}

}  // namespace penumbra::value_iteration

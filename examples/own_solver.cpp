// A solver of one's own in the frame that all solvers share: hill climbing over small controllers.
// A round tries a random change of the controller, judged on the same episodes as before; after
// many that were no good it starts again from a random one. docs/write-a-solver.md explains it.
#include <cstdio>
#include <cstdlib>

#include "domains/registry.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/policy/named.h"
#include "penumbra/solvers/anytime.h"
#include "penumbra/solvers/best_so_far.h"

using namespace penumbra;

struct ClimberOptions {
  int nodes = 12;            // of every controller
  int episodes = 200;        // that a change is judged on
  int patience = 2000;       // changes in a row that gain nothing, before it starts again
  int evaluations = 10'000;  // episodes of each simulated value

  void list(OptionList& l) {
    l.add("nodes", nodes, 1, 1000, "of every controller");
    l.add("episodes", episodes, 1, 1'000'000, "that a change is judged on");
    l.add("patience", patience, 1, 1'000'000, "changes without gain before it starts again");
    l.add("evaluations", evaluations, 10, 10'000'000, "episodes of each simulated value");
  }
};

class ClimberRounds final : public Rounds {
 public:
  ClimberRounds(const Pomdp& model, const ClimberOptions& options, uint64_t seed, ThreadPool& pool)
      : model_(model),
        o_(options),
        pool_(pool),
        root_(RngKey::from_seed(seed).fold("climber")),
        values_(make_mdp_value(model, {}, root_.fold("mdp"), pool)) {}

  void start() override {
    upper_ = upper_at_start(model_, *values_, root_.fold("upper"));
    begin_anew();
  }

  // One change. It counts when it has been judged on all episodes.
  bool round(const Stop& stop) override {
    if (failures_ >= o_.patience) begin_anew();
    Fsc changed = current_;
    change(changed, Rng(root_.fold("change").fold(round_), 0));
    const double value = value_of(changed, stop);
    if (stop()) return false;  // a resumed run tries the same change again
    ++round_;
    failures_ = value > value_ ? 0 : failures_ + 1;
    if (value >= value_) {  // as good is good enough: what is out of use may drift
      current_ = std::move(changed);
      value_ = value;
    }
    return true;
  }

  uint64_t backups() const override { return round_; }
  Standing standing() const override {
    return {.nodes = reachable(current_).num_nodes(),
            .gap = best_.gap(upper_.value),
            .judge = failures_ >= o_.patience};  // before it is given up
  }

  // On more episodes than changes are judged on, and on others: luck does not last.
  void evaluate(SolveProgress& line, const Stop& stop) override {
    const PhaseTimer timer(work_, Phase::kEvaluate);
    const FscPolicy policy(current_, model_.facts());
    const Score score = judge(model_, policy, o_.evaluations, pool_, stop);
    if (best_.beaten_by(score)) best_.take(current_, score);
    line.estimate = value_;
    line.simulated = score;
    line.upper = upper_;
  }
  const Work& work() const override { return work_; }

  void finish(Solution& s) override {
    s.estimate = best_.score().mean;
    s.upper = upper_;
    auto fnc = std::make_shared<Fnc>();
    fnc->fsc = reachable(best_.policy());
    s.policy = std::move(fnc);
  }

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 private:
  template <class Archive>
  void archive_all(Archive& a) {
    a(round_, failures_, current_, value_, upper_, work_, best_);
  }

  // A random controller: a function of (seed, round), as all that is random here.
  void begin_anew() {
    Rng rng(root_.fold("anew").fold(round_), 0);
    current_ = {};
    current_.num_observations = model_.facts().num_observations;
    for (int n = 0; n < o_.nodes; ++n)
      current_.add_node(static_cast<int>(rng.below(model_.facts().num_actions)));
    for (int& edge : current_.edges) edge = static_cast<int>(rng.below(o_.nodes));
    value_ = value_of(current_, {});
    failures_ = 0;
  }

  // Another action or another node after one observation; sometimes several such changes at once.
  void change(Fsc& fsc, Rng rng) const {
    auto draw = [&](int count) { return static_cast<int>(rng.below(count)); };
    do {
      const int node = draw(o_.nodes), seen = draw(fsc.num_observations);
      if (rng.bernoulli(0.3))
        fsc.action[node] = draw(model_.facts().num_actions);
      else
        fsc.set_edge(node, seen, draw(o_.nodes));
    } while (rng.bernoulli(0.3));
  }

  double value_of(const Fsc& fsc, const Stop& stop) {
    const PhaseTimer timer(work_, Phase::kSimulate);
    EvaluateOptions how;
    how.episodes = o_.episodes;
    how.seed = root_.fold("episodes").value;  // the same for all: compared in pairs
    how.cancelled = stop;
    const Score score = penumbra::evaluate(model_, FscPolicy(fsc, model_.facts()), how, pool_);
    work_.simulator_steps += static_cast<double>(score.steps);
    return score.mean;
  }

  const Pomdp& model_;
  ClimberOptions o_;
  ThreadPool& pool_;
  RngKey root_;
  std::unique_ptr<MdpValue> values_;
  uint64_t round_ = 0;
  int failures_ = 0;
  Fsc current_;
  double value_ = 0;  // of it, on the episodes of changes
  UpperValue upper_;
  Work work_;
  BestSoFar<Fsc> best_;  // by evaluate()
};

class Climber final : public Solver {
 public:
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override {
    return Capability::kFiniteActions | Capability::kFiniteObservations;
  }
  PolicyForm makes() const override { return PolicyForm::kController; }
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override {
    require(model, needs(), "climber");
    Anytime frame(limits, report, pool, {.first = 100, .at_start = false});
    ClimberRounds rounds(model, options_, seed, pool);
    return frame.run(rounds);
  }

 private:
  ClimberOptions options_;
};

// The best that can be had without looking.
double best_blind(const Pomdp& model, const EvaluateOptions& how, ThreadPool& pool) {
  double best = -HUGE_VAL;
  for (const std::string& action : model.facts().action_names) {
    const auto policy = named_policy("blind(action=" + action + ")", model);
    best = std::max(best, evaluate(model, *policy, how, pool).mean);
  }
  return best;
}

// own_solver [THREADS]: the same lines for any number of them.
int main(int argc, char** argv) {
  const auto model = load_domain("rock-sample(n=3,k=2)");
  ThreadPool pool(argc > 1 ? std::atoi(argv[1]) : 0);
  Limits limits;
  limits.seconds = 0;  // work alone decides when it ends
  limits.backups = 12'000;
  const Solution s = Climber().solve(*model, limits, 1, pool, [](const SolveProgress& line) {
    std::printf("%6.0f changes %7.2f\n", static_cast<double>(line.backups), line.simulated.mean);
  });
  const Fsc& fsc = policy_as<Fnc>(s.policy)->fsc;
  const EvaluateOptions how{.episodes = 100'000, .seed = 2};
  const Score score = evaluate(*model, FscPolicy(fsc, model->facts()), how, pool);
  const double blind = best_blind(*model, how, pool);
  std::printf("%s after %.0f changes: %d nodes, value %.2f +- %.2f\n", s.status.c_str(),
              static_cast<double>(s.backups), fsc.num_nodes(), score.mean, score.standard_error);
  std::printf("the best blind policy: %.2f; at most %.2f (%s)\n", blind, s.upper.value,
              name_of(s.upper.kind));
  return score.low > blind + 2 ? 0 : 1;
}

#include "penumbra/solvers/ppo/ppo.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/bounds/domain_mdp_value.h"
#include "penumbra/policy/recurrent.h"
#include "penumbra/solvers/anytime.h"
#include "penumbra/solvers/best_so_far.h"
#include "penumbra/solvers/ppo/collector.h"
#include "penumbra/solvers/ppo/learner.h"
#include "penumbra/solvers/ppo/options.h"

namespace penumbra {
namespace ppo {
namespace {

constexpr double kCutShare = 0.01;  // of the reward range may be left when an episode is cut

// An actor that can be saved; null while there is none.
struct Held {
  std::shared_ptr<const RecurrentActor> actor;

  template <class Archive>
  void archive(Archive& a) {
    nn::ByteWriter out;
    if (actor) actor->write(out);
    std::vector<std::byte> bytes = out.bytes();
    a(bytes);
    if (!Archive::kLoading || bytes.empty()) return;
    nn::ByteReader in(bytes);
    actor = std::make_shared<const RecurrentActor>(RecurrentActor::read(in));
  }
};

class PpoRounds final : public Rounds {
 public:
  PpoRounds(const Pomdp& model, const PpoOptions& options, uint64_t seed, ThreadPool& pool)
      : model_(model),
        options_(options),
        settings_(options.settings(model.facts().name)),
        pool_(pool),
        root_(RngKey::from_seed(seed).fold("ppo")),
        code_(model, root_.fold("code")),
        head_{code_.num_actions(), code_.action_dimension()},
        learner_(code_.layout(), head_, settings_, root_.fold("networks")),
        collector_(model, code_, head_, settings_.lanes, settings_.hidden, longest_episode(),
                   root_.fold("collect")),
        batch_(settings_.lanes, settings_.steps, learner_.actor().layout(), head_.width()),
        upper_(find_upper()) {}

  void start() override {}

  // One round of experience and learning. If time is up before its end everything is put back as it
  // was, so that a resumed run does the whole round.
  bool round(const Stop& stop) override {
    BytesSink before;
    Saver saver(before);
    archive_round(saver);
    bool whole;
    {
      const PhaseTimer timer(work_, Phase::kPlay);
      whole = collector_.play(learner_.actor(), round_, batch_, pool_, stop);
    }
    if (whole) {
      const PhaseTimer timer(work_, Phase::kLearn);
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
    const double steps = double(settings_.lanes) * settings_.steps;
    work_.simulator_steps += steps;
    // Rows that went through a network, forward, in play and learning.
    work_.network_evaluations += steps * 2 * (1 + settings_.epochs);
    return true;
  }

  uint64_t backups() const override { return backups_; }
  Standing standing() const override {
    return {.nodes = settings_.hidden, .gap = best_.gap(upper_.value)};
  }
  const Work& work() const override { return work_; }

  // Simulates the actor twice, drawing its actions and playing the likeliest one, and remembers it
  // with its way of playing if it is the best so far. The line shows the better of the two. The
  // second is left out when time is up.
  void evaluate(SolveProgress& line, const Stop& stop) override {
    const PhaseTimer timer(work_, Phase::kEvaluate);
    Score score;
    for (const bool greedy : {false, true}) {
      bool late = greedy && stop();
      pool_.team().send_to_all(late);
      if (late) break;
      auto actor =
          std::make_shared<RecurrentActor>(RecurrentActor{code_, head_, learner_.actor(), greedy});
      const Score s =
          judge(model_, RecurrentPolicy(actor, model_), options_.evaluations, pool_, stop);
      if (!greedy || s.mean > score.mean) score = s;
      if (best_.beaten_by(s)) best_.take({actor}, s);
    }
    line.estimate = score.mean;
    line.simulated = score;
    line.upper = upper_;
  }

  void finish(Solution& s) override {
    s.estimate = best_.score().mean;
    s.upper = upper_;
    s.policy = best_.policy().actor;
  }

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 private:
  int longest_episode() const {
    if (options_.max_episode > 0) return options_.max_episode;
    const Facts& f = model_.facts();
    return std::max(2, horizon_for(f, kCutShare * (f.max_reward - f.min_reward) + 1e-9));
  }

  // The mean over b0 of what a known state is worth; where that is not known, the best reward for
  // ever.
  UpperValue find_upper() const {
    const Facts& f = model_.facts();
    if (!model_.has(Capability::kMdpValue))
      return {f.max_reward / (1 - f.discount), UpperKind::kProven};
    return upper_at_start(model_, DomainMdpValue(model_), root_.fold("upper"));
  }

  // Everything that rounds change.
  template <class Archive>
  void archive_round(Archive& a) {
    a(round_, backups_, learner_, collector_);
  }
  template <class Archive>
  void archive_all(Archive& a) {
    archive_round(a);
    a(work_, best_);
  }

  // The rate falls in a line to a tenth, the entropy's weight by equal shares to a hundredth.
  Factors factors() const {
    if (settings_.decay == 0) return {};
    const double spent = std::min(1.0, static_cast<double>(backups_) / settings_.decay);
    return {1 - 0.9 * spent, std::pow(0.01, spent)};
  }

  const Pomdp& model_;
  const PpoOptions& options_;
  Settings settings_;
  ThreadPool& pool_;
  RngKey root_;
  HistoryCode code_;
  nn::ActionHead head_;
  Learner learner_;
  Collector collector_;
  Batch batch_;
  UpperValue upper_;
  uint64_t round_ = 0, backups_ = 0;
  Work work_;
  BestSoFar<Held> best_;
};

}  // namespace
}  // namespace ppo

namespace {

class PpoSolver final : public Solver {
 public:
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override { return {}; }
  PolicyForm makes() const override { return PolicyForm::kRecurrent; }
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override {
    Anytime frame(limits, report, pool, {.first = 240, .growth = 1.3, .at_start = false});
    ppo::PpoRounds rounds(model, options_, seed, pool);
    return frame.run(rounds);
  }

 private:
  ppo::PpoOptions options_;
};

}  // namespace

std::unique_ptr<Solver> make_ppo() {
  return std::make_unique<PpoSolver>();
}

}  // namespace penumbra

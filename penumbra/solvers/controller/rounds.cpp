#include "penumbra/solvers/controller/rounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "penumbra/nn/value_bank.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/search/falling_upper.h"
#include "penumbra/solvers/anytime.h"
#include "penumbra/solvers/best_so_far.h"
#include "penumbra/solvers/controller/fit_visited.h"
#include "penumbra/solvers/controller/growing_controller.h"
#include "penumbra/solvers/controller/tune_nodes.h"
#include "penumbra/solvers/controller/walk_states.h"

namespace penumbra::controller {
namespace {

// Later controllers differ by less, so that it takes more episodes to tell which is better.
constexpr uint64_t kEpisodesPerBackup = 4, kMostEpisodes = 100'000;

// A plan without functions of the model's features: the last thing that is done, within moments.
constexpr int kLastEpisodes = 2000;
constexpr size_t kLastNodes = 64;

// With few observations fewer episodes and states are enough to judge a node.
RoundsOptions tuning_options(RoundsOptions o, bool many_observations) {
  if (many_observations) return o;
  o.tune_nodes = std::max(1, o.tune_nodes / 4);
  o.tune_states = std::max(256, o.tune_states / 8);
  o.tune_episodes = std::max(1, o.tune_episodes / 10);
  return o;
}

// A controller, and its networks as they were when it was simulated.
struct Held {
  Fsc fsc;
  std::vector<int> alpha;
  nn::Bytes networks;
  template <class Archive>
  void archive(Archive& a) {
    a(fsc, alpha, networks);
  }
};

class ControllerRounds final : public Rounds {
 public:
  ControllerRounds(const Pomdp& model, const RoundsOptions& options, const std::string& name,
                   const MakeCandidates& make_candidates, const MakeFirstPlan& make_plan,
                   const Anytime& frame, uint64_t seed, ThreadPool& pool)
      : model_(model),
        options_(options),
        make_plan_(make_plan),
        frame_(frame),
        pool_(pool),
        root_(RngKey::from_seed(seed).fold(name)),
        values_(make_mdp_value(model, options.mdp, root_.fold("mdp"), pool, frame.stop())),
        candidates_(make_candidates(root_.fold("library"))),
        controller_(model.facts().num_observations, *candidates_),
        depth_(options.depth(model.facts())),
        many_observations_(model.facts().num_observations > kFewObservations),
        endless_(never_ends(model, depth_, root_.fold("endless"))),
        tuning_(tuning_options(options, many_observations_)) {
    set_pool();
  }

  void start() override {
    start_from_blind_policies();
    if (make_plan_) begin_plan();
  }

  bool round(const Stop& stop) override {
    if (plan_) return go_on_with_plan(stop);
    if (considered_ < round_ && !tune_if_due(stop)) return false;
    considered_ = round_;
    proposals_ = make_proposals(stop);
    if (std::any_of(proposals_.begin(), proposals_.end(),
                    [](const Proposal& p) { return p.abandoned; }))
      return false;  // a resumed run does the whole round again
    take_over_proposals();
    ++round_;
    return true;
  }

  void keep_stopped_round() override {
    if (!proposals_.empty()) take_over_proposals();
  }

  uint64_t backups() const override { return backups_; }
  Standing standing() const override {
    return {.nodes = controller_.live(), .gap = best_.gap(upper_.value)};
  }
  const Work& work() const override { return work_; }

  // Simulates the controller and remembers it if it is the best so far.
  void evaluate(SolveProgress& line, const Stop& stop) override {
    lower_upper_value(stop);
    const Score score = plan_ ? choose_from_plan() : simulated(controller_.fsc());
    if (!best_.empty() && best_.score().episodes() < episodes())
      best_.rejudge(simulated(best_.policy().fsc));
    if (best_.beaten_by(score)) best_.take(held(), score);
    if (plan_) plan_->judged(best_.score().mean);
    line.estimate = plan_ ? plan_->claim() : score.mean;
    line.simulated = score;
    line.upper = upper_;
    line.training_error = candidates_->take_training_error();
  }

  void finish(Solution& s) override {
    s.estimate = best_.score().mean;
    s.upper = upper_;
    auto fnc = std::make_shared<Fnc>();
    std::vector<int> kept;
    fnc->fsc = reachable(best_.policy().fsc, &kept);
    if (options_.sweep) {
      fit_at_end(*fnc, options_.tune_episodes, fnc->fsc.num_nodes());
    } else if (best_.policy().networks.empty()) {
      fit_at_end(*fnc, kLastEpisodes, kLastNodes);
    } else {
      for (int node : kept) fnc->alpha.push_back(best_.policy().alpha[node]);
      fnc->networks = nn::load_bank(best_.policy().networks, {});
    }
    s.policy = std::move(fnc);
  }

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 private:
  // Functions of the final controller's most visited nodes, fitted to their returns.
  void fit_at_end(Fnc& fnc, int episodes, size_t most_nodes) {
    if (!candidates_->has_networks()) return;
    const RngKey key = root_.fold("sweep");
    const auto fresh = candidates_->fresh(key.fold("library"), pool_);
    fit_visited_nodes(model_, options_, fnc.fsc, episodes, most_nodes, depth_, key, pool_, *fresh);
    fnc.alpha = fresh->alpha(fnc.fsc.num_nodes());
    fnc.networks = nn::load_bank(fresh->save_networks(), {});
  }

  // A share of the work goes into it.
  void lower_upper_value(const Stop& stop) {
    const PhaseTimer timer(work_, Phase::kCollect);
    if (!falling_) {
      const UpperValue first = upper_at_start(model_, *values_, root_.fold("upper"));
      falling_.emplace(model_, *values_, first, root_.fold("falling"));
    }
    // Without its own steps: a run that is stopped in here and resumed comes to the same.
    const double others = work_.simulator_steps - upper_steps_;
    falling_->spend(search::share_for_upper(others, backups_), pool_, stop);
    // A resumed run that is stopped before the trees are there again keeps what it had.
    if (falling_->steps() >= upper_steps_) upper_ = falling_->value();
    work_.simulator_steps += std::max(0.0, falling_->steps() - upper_steps_);
    upper_steps_ = std::max(upper_steps_, falling_->steps());
  }

  template <class Archive>
  void archive_all(Archive& a) {
    a(round_, considered_, controller_, backups_, tuned_, work_, upper_, upper_steps_, tried_,
      succeeded_, best_, *candidates_);
    bool planning = plan_ != nullptr;
    a(planning);
    if constexpr (Archive::kLoading) {
      set_pool();
      if (planning) make_plan({});  // the plan is in the file: whatever time is left
    }
    if (planning) a(*plan_);
  }

  void set_pool() {
    candidates_->set_pool(random_walk_states(model_, options_.pool_states, root_), pool_);
  }

  // One node per action, executing it for ever; the best of them is the first controller.
  void start_from_blind_policies() {
    constexpr size_t kStates = 512;
    RecordBuffer states(model_.state_size(), kStates);
    model_.sample_initial({root_.fold("blind")}, states);
    Rollouts rollouts(model_, depth_);
    auto returns_of = [&](int node, const RecordBuffer& from, RngKey key) {
      return rollouts.returns(controller_.fsc(), node, from, key);
    };
    double best = -HUGE_VAL;
    for (int a = 0; a < model_.facts().num_actions; ++a) {
      const int node = controller_.add_blind(a);
      const TrainingSet own{states, returns_of(node, states, root_.fold("blind"))};
      const double value = std::accumulate(own.returns.begin(), own.returns.end(), 0.0) / kStates;
      if (value > best) {
        best = value;
        controller_.set_start(node);
      }
      candidates_->add(node, own, returns_of(node, candidates_->pool_states(), root_.fold("pool")),
                       root_.fold("fit").fold(node), pool_);
    }
    work_.simulator_steps += static_cast<double>(rollouts.steps());
  }

  uint64_t episodes() const {
    return std::max<uint64_t>(options_.evaluations,
                              std::min(kEpisodesPerBackup * backups_, kMostEpisodes));
  }
  Score simulated(const Fsc& fsc) {
    return judge(model_, FscPolicy(fsc, model_.facts()), episodes(), pool_);
  }

  // The controller as it is now.
  Held held() const {
    if (!plan_)
      return {controller_.fsc(), candidates_->alpha(controller_.num_nodes()),
              candidates_->save_networks()};
    if (!offered_.networks) return {controller_.fsc(), {}, {}};
    std::vector<int> alpha(controller_.num_nodes(), -1);
    std::copy(offered_.alpha.begin(), offered_.alpha.end(),
              alpha.end() - static_cast<long>(offered_.alpha.size()));
    return {controller_.fsc(), std::move(alpha), offered_.networks->save()};
  }

  void make_plan(const Stop& stop) {
    plan_ = make_plan_(*values_, 0.6 * frame_.limits().memory, root_.fold("plan"), pool_, stop);
  }
  void begin_plan() {
    const PhaseTimer timer(work_, Phase::kPlan);
    make_plan(frame_.stop());
    if (plan_) work_.simulator_steps += plan_->simulator_steps();
  }

  // The best of the controllers that the plan offers becomes the controller.
  Score choose_from_plan() {
    Score best;
    for (Fnc& fnc : plan_->controllers()) {
      const Score score = simulated(fnc.fsc);
      if (best.episodes() > 0 && score.mean <= best.mean) continue;
      best = score;
      controller_.replace(fnc.fsc);
      offered_ = std::move(fnc);
    }
    return best;
  }

  // A round of walks of the plan at a time. One that is stopped changes nothing and is done again.
  bool go_on_with_plan(const Stop& stop) {
    {
      const PhaseTimer timer(work_, Phase::kPlan);
      const double steps = plan_->simulator_steps();
      if (!plan_->run(stop)) return false;
      backups_ = plan_->backups();
      work_.simulator_steps += plan_->simulator_steps() - steps;
    }
    if (plan_->finished()) adopt_plan();
    return true;
  }

  // The best controller of the plan stays, with networks for the nodes that are visited; from here
  // on proposals improve it.
  void adopt_plan() {
    if (const Score last = choose_from_plan(); !best_.beaten_by(last))
      controller_.replace(reachable(best_.policy().fsc));
    plan_.reset();
    offered_ = {};
    const PhaseTimer timer(work_, Phase::kTrain);
    work_.simulator_steps += fit_visited_nodes(model_, options_, controller_.fsc(),
                                               options_.tune_episodes, controller_.num_nodes(),
                                               depth_, root_.fold("adopt"), pool_, *candidates_);
  }

  std::vector<Proposal> make_proposals(const Stop& stop) {
    const RngKey key = root_.fold("round").fold(round_);
    std::vector<Excursion> excursions;
    for (int i = 0; i < options_.proposals; ++i) {
      Rng rng(key.fold("plan"), i);
      const bool first = round_ < static_cast<uint64_t>(options_.whole_first);
      const Burst burst = choose_burst(rng);
      const bool whole = first || rng.bernoulli(options_.whole_bursts);
      excursions.push_back({burst, first, whole && !endless_});
    }
    const ProposalContext context{model_,       options_,          *values_,
                                  *candidates_, controller_.fsc(), stop};
    std::vector<Proposal> proposals(excursions.size());
    pool_.for_chunks(excursions.size(), 1, [&](size_t i, size_t, size_t) {
      proposals[i] = make_proposal(context, excursions[i], key.fold("proposal").fold(i));
    });
    return proposals;
  }

  // One by one, in order. Proposals that were stopped before they were complete are passed over.
  void take_over_proposals() {
    const RngKey key = root_.fold("round").fold(round_);
    for (size_t i = 0; i < proposals_.size(); ++i) {
      const Proposal& p = proposals_[i];
      if (p.abandoned) continue;
      backups_ += p.backups;
      work_ += p.work;
      ++tried_[static_cast<int>(p.burst)];
      const RngKey merge = key.fold("merge").fold(i);
      const auto beats = [&](const Fsc& fsc, int challenger, int champion) {
        return better(fsc, challenger, champion, p.judges, merge);
      };
      if (controller_.take_over(p, options_.keep_excursions, beats, merge, pool_, work_))
        ++succeeded_[static_cast<int>(p.burst)];
    }
    proposals_.clear();
    const uint64_t memory = options_.memory_rounds > 0 ? options_.memory_rounds
                            : many_observations_       ? 600
                                                       : 12;
    controller_.end_round(round_, memory);
  }

  bool better(const Fsc& fsc, int challenger, int champion, const RecordBuffer& judges,
              RngKey key) {
    const PhaseTimer timer(work_, Phase::kVerify);
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
    rollouts.run(fsc, states, nodes, ids, key, returns);
    work_.simulator_steps += static_cast<double>(rollouts.steps());
    Moments difference;
    for (size_t i = 0; i < n; ++i) difference.add(double(returns[i]) - returns[n + i]);
    const Estimate gain = difference.estimate();
    return gain.mean > options_.accept_z * gain.standard_error;
  }

  // Improves nodes in place whenever that has had less than its share of the backups. Excursions
  // only ever add branches; where episodes never end, it takes changes in place to make loops.
  // False: it was stopped, and nothing has changed.
  bool tune_if_due(const Stop& stop) {
    const bool wanted = endless_ || (many_observations_ &&
                                     model_.facts().num_actions <= options_.all_actions_up_to);
    if (options_.tune == "no" || (options_.tune == "auto" && !wanted)) return true;
    const double due = options_.tune_share * static_cast<double>(backups_);
    if (static_cast<double>(tuned_ + tuning_.tune_nodes) > due) return true;
    const TuneReport r = tune_nodes(model_, tuning_, *candidates_, depth_, controller_.nodes(),
                                    root_.fold("tune").fold(round_ - 1), pool_, stop);
    if (r.stopped) return false;
    // Counted as a full turn even if no node had visits enough: else it would be tried every round.
    tuned_ += std::max<uint64_t>(r.backups, tuning_.tune_nodes);
    backups_ += r.backups;
    work_ += r.work;
    return true;
  }

  // The more often a kind of exploration has succeeded, the likelier it is; none is ever given up.
  Burst choose_burst(Rng& rng) const {
    double weight[kNumBursts];
    for (int b = 0; b < kNumBursts; ++b)
      weight[b] = 0.05 + (succeeded_[b] + 1.0) / (tried_[b] + 4.0);
    if (round_ == 0) weight[static_cast<int>(Burst::kPersistent)] = 0.1;
    if (round_ < static_cast<uint64_t>(options_.whole_first))
      weight[static_cast<int>(Burst::kFollow)] = 0;
    if (options_.search == 0) weight[static_cast<int>(Burst::kSearch)] = 0;
    return static_cast<Burst>(rng.categorical(weight));
  }

  const Pomdp& model_;
  const RoundsOptions& options_;
  const MakeFirstPlan& make_plan_;
  const Anytime& frame_;
  ThreadPool& pool_;
  RngKey root_;
  std::unique_ptr<MdpValue> values_;
  std::unique_ptr<FirstPlan> plan_;  // while it is being made
  Fnc offered_;                      // the controller as the plan offered it
  std::unique_ptr<Candidates> candidates_;
  GrowingController controller_;
  int depth_;
  bool many_observations_, endless_;
  RoundsOptions tuning_;
  std::vector<Proposal> proposals_;  // of a round that was stopped
  uint64_t round_ = 0, backups_ = 0;
  uint64_t considered_ = 0;  // the last round in which tuning was
  uint64_t tuned_ = 0;       // backups that improved nodes in place
  UpperValue upper_;
  std::optional<search::FallingUpper> falling_;
  double upper_steps_ = 0;  // that went into it
  Work work_;
  uint64_t tried_[kNumBursts] = {}, succeeded_[kNumBursts] = {};
  BestSoFar<Held> best_;
};

}  // namespace

Solution improve_in_rounds(const Pomdp& model, const RoundsOptions& options,
                           const std::string& name, const MakeCandidates& make_candidates,
                           const MakeFirstPlan& make_plan, const Limits& limits, uint64_t seed,
                           ThreadPool& pool, const Solver::Report& report) {
  Anytime frame(limits, report, {.growth = 1.2, .early = 500, .slack = 0.6, .slack_share = 0.006});
  try {
    ControllerRounds rounds(model, options, name, make_candidates, make_plan, frame, seed, pool);
    return frame.run(rounds);
  } catch (const Stopped&) {
    return frame.stopped_at_start(model, pool);
  }
}

}  // namespace penumbra::controller

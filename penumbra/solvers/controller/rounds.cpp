#include "penumbra/solvers/controller/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "penumbra/base/share_out.h"
#include "penumbra/nn/value_bank.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/search/falling_upper.h"
#include "penumbra/solvers/anytime.h"
#include "penumbra/solvers/best_so_far.h"
#include "penumbra/solvers/controller/fit_visited.h"
#include "penumbra/solvers/controller/growing_controller.h"
#include "penumbra/solvers/controller/tune_nodes.h"
#include "penumbra/solvers/controller/walk_states.h"
#include "penumbra/solvers/islands.h"
#include "penumbra/solvers/real_actions.h"

namespace penumbra::controller {
namespace {

// Later controllers differ by less, so that it takes more episodes to tell which is better.
constexpr uint64_t kEpisodesPerBackup = 4, kMostEpisodes = 100'000;

// A plan without functions of the model's features: the last thing that is done, within moments.
constexpr int kLastEpisodes = 2000;
constexpr size_t kLastNodes = 64;
constexpr double kLastSeconds = 0.3, kLastShare = 0.005;  // of the limit of time

constexpr uint64_t kCompareEvery = 100;  // rounds

// A controller of another island: how many of its nodes become candidates, by how many episodes
// they are chosen, and the states that its start is compared on.
constexpr size_t kOfferedNodes = 64;
constexpr int kOfferedEpisodes = 2000;
constexpr size_t kOfferedJudges = 4096;

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

class ControllerRounds final : public Island {
 public:
  // `values`: null where it makes its own. `bounded`: it finds an upper value, too.
  ControllerRounds(const Pomdp& model, const RoundsOptions& options, RngKey root,
                   const MakeCandidates& make_candidates, const MakeFirstPlan& make_plan,
                   std::shared_ptr<const MdpValue> values, bool bounded, const Anytime& frame,
                   ThreadPool& pool)
      : stock_(own_stock(model)),
        model_(stock_ ? *stock_ : model),
        options_(options),
        make_plan_(make_plan),
        frame_(frame),
        pool_(pool),
        root_(root),
        values_(values
                    ? std::move(values)
                    : make_mdp_value(model_, options.mdp, root_.fold("mdp"), pool, frame.stop())),
        wants_upper_(bounded),
        candidates_(make_candidates(root_.fold("library"))),
        controller_(model.facts().num_observations, *candidates_, stock_.get()),
        depth_(options.depth(model.facts())),
        many_observations_(model.facts().num_observations > kFewObservations),
        endless_(never_ends(model_, depth_, root_.fold("endless"))),
        tuning_(tuning_options(options, many_observations_)) {
    set_pool();
  }

  void start() override {
    start_from_blind_policies();
    if (make_plan_) begin_plan();
    // A plan may be worse than doing one thing for ever.
    if (plan_) best_.take({real(controller_.fsc()), {}, {}}, simulated(controller_.fsc()));
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
    // What differs from the beginning shows in the first rounds.
    if (++round_ % kCompareEvery == 0 || std::has_single_bit(round_))
      compare_ranks("after round " + std::to_string(round_));
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
      const double share = s.status == "time" ? affordable_share() : 1;
      fit_at_end(*fnc, static_cast<int>(std::ceil(share * kLastEpisodes)),
                 static_cast<size_t>(std::ceil(share * kLastNodes)));
    } else {
      for (int node : kept) fnc->alpha.push_back(best_.policy().alpha[node]);
      fnc->networks = nn::load_bank(best_.policy().networks, {});
    }
    s.policy = std::move(fnc);
  }

  void offer(Saver& saver) override {
    Fsc now = reachable(real(controller_.fsc()));
    saver(now);
  }

  // Its most visited nodes become candidates, and its start is taken where it is better.
  void take(Loader& loader) override {
    Fsc other;
    loader(other);
    if (plan_) return;  // its controllers are made of one piece
    const RngKey key = root_.fold("offer").fold(round_);
    const PhaseTimer timer(work_, Phase::kTrain);
    const int start = controller_.append(other);
    Fsc offered = controller_.fsc();
    offered.start = start;
    work_.simulator_steps +=
        *fit_visited_nodes(model_, options_, offered, kOfferedEpisodes, kOfferedNodes, depth_,
                           key.fold("fit"), pool_, {}, *candidates_);
    RecordBuffer judges(model_.state_size(), kOfferedJudges);
    model_.sample_initial({key.fold("judges")}, judges);
    if (better(offered, start, controller_.fsc().start, judges, key)) controller_.set_start(start);
  }

  void archive_best(Saver& saver) override { saver(best_); }
  void archive_best(Loader& loader) override { loader(best_); }
  const Score& best_score() const override { return best_.score(); }

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 private:
  // Of the last thing that is done, when the clock has ended the solve: so much that on a slow
  // model it takes moments too, by the pace of the best controller's simulation.
  double affordable_share() const {
    const Score& score = best_.score();
    if (score.steps == 0) return 1;
    const double states =
        kLastEpisodes +
        static_cast<double>(kLastNodes) * (options_.pool_states + options_.backup.training_states);
    const double seconds = score.seconds / static_cast<double>(score.episodes()) * states;
    return std::min(1.0, std::max(kLastSeconds, kLastShare * frame_.limits().seconds) /
                             std::max(seconds, 1e-9));
  }

  // Functions of the final controller's most visited nodes, fitted to their returns.
  void fit_at_end(Fnc& fnc, int episodes, size_t most_nodes) {
    if (!candidates_->has_networks()) return;
    const RngKey key = root_.fold("sweep");
    const auto fresh = candidates_->fresh(key.fold("library"), pool_);
    if (stock_) {
      const ActionStock view(stock_->inner(), fnc.fsc.action_values);
      fit_visited_nodes(view, options_, fnc.fsc, episodes, most_nodes, depth_, key, pool_, {},
                        *fresh);
    } else {
      fit_visited_nodes(model_, options_, fnc.fsc, episodes, most_nodes, depth_, key, pool_, {},
                        *fresh);
    }
    fnc.alpha = fresh->alpha(fnc.fsc.num_nodes());
    fnc.networks = nn::load_bank(fresh->save_networks(), {});
  }

  // A share of the work goes into it.
  void lower_upper_value(const Stop& stop) {
    if (!wants_upper_) return;
    const PhaseTimer timer(work_, Phase::kCollect);
    if (stock_) {
      // Trees would go through the rows of the stock, and that bounds no other action.
      if (!bounded_) upper_ = upper_at_start(model_, *values_, root_.fold("upper"));
      bounded_ = true;
      return;
    }
    if (!falling_) {
      const UpperValue first = upper_at_start(model_, *values_, root_.fold("upper"));
      falling_.emplace(model_, *values_, first, root_.fold("falling"));
    }
    // Without its own steps: a run that is stopped in here and resumed comes to the same.
    const double others = work_.simulator_steps - falling_->simulated(upper_steps_);
    falling_->spend(search::share_for_upper(others, backups_), pool_, stop);
    // A resumed run that is stopped before the trees are there again keeps what it had.
    if (falling_->steps() >= upper_steps_) upper_ = falling_->value();
    work_.simulator_steps += falling_->simulated(std::max(0.0, falling_->steps() - upper_steps_));
    upper_steps_ = std::max(upper_steps_, falling_->steps());
  }

  template <class Archive>
  void archive_all(Archive& a) {
    if (stock_) a(*stock_);
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
    if (!stock_) return judge(model_, FscPolicy(fsc, model_.facts()), episodes(), pool_);
    const Pomdp& model = stock_->inner();
    return judge(model, FscPolicy(real(fsc), model.facts()), episodes(), pool_);
  }

  // The controller as it stands for itself, with the actions that its nodes take.
  Fsc real(const Fsc& fsc) const { return stock_ ? with_real_actions(fsc, *stock_) : fsc; }

  // The controller as it is now.
  Held held() const {
    if (!plan_)
      return {real(controller_.fsc()), candidates_->alpha(controller_.num_nodes()),
              candidates_->save_networks()};
    if (!offered_.networks) return {real(controller_.fsc()), {}, {}};
    std::vector<int> alpha(controller_.num_nodes(), -1);
    std::copy(offered_.alpha.begin(), offered_.alpha.end(),
              alpha.end() - static_cast<long>(offered_.alpha.size()));
    return {real(controller_.fsc()), std::move(alpha), offered_.networks->save()};
  }

  void make_plan(const Stop& stop) {
    plan_ = make_plan_(*values_, 0.6 * frame_.limits().memory / options_.islands.count,
                       root_.fold("plan"), pool_, stop);
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
    if (!plan_->finished()) {
      const PhaseTimer timer(work_, Phase::kPlan);
      const double steps = plan_->simulator_steps();
      // All ranks walk alike, and rank 0 alone may cut that short: its next message is another
      // then.
      const bool leads = pool_.team().leads();
      if (!plan_->run(leads ? stop : Stop([] { return false; }))) return false;
      backups_ = plan_->backups();
      work_.simulator_steps += plan_->simulator_steps() - steps;
    }
    return !plan_->finished() || adopt_plan(stop);
  }

  // The best controller of the plan stays, with networks for the nodes that are visited; from here
  // on proposals improve it. False: it was stopped, and a resumed run does all of it.
  bool adopt_plan(const Stop& stop) {
    if (const Score last = choose_from_plan(); !best_.beaten_by(last))
      controller_.replace(reachable(best_.policy().fsc));
    const PhaseTimer timer(work_, Phase::kTrain);
    const auto steps = fit_visited_nodes(model_, options_, controller_.fsc(),
                                         options_.tune_episodes, controller_.num_nodes(), depth_,
                                         root_.fold("adopt"), pool_, stop, *candidates_);
    if (!steps) return false;
    work_.simulator_steps += *steps;
    plan_.reset();
    offered_ = {};
    compare_ranks("of the first plan");
    return true;
  }

  // Ranks that have come apart would go on to nonsense.
  void compare_ranks(const std::string& when) {
    if (pool_.team().size() == 1) return;
    BytesSink sink;
    Saver saver(sink);
    saver(controller_);
    const uint64_t hash = hash_record(sink.bytes.data(), sink.bytes.size());
    require_alike(pool_.team(), {{"controller " + when, fmt::format("{:016x}", hash)}},
                  "Ranks must compute the same: look for machines that differ or are defective");
  }

  std::vector<Proposal> make_proposals(const Stop& stop) {
    const RngKey key = root_.fold("round").fold(round_);
    std::vector<Excursion> excursions;
    for (int i = 0; i < options_.proposals_after(backups_); ++i) {
      Rng rng(key.fold("plan"), i);
      const bool first = round_ < static_cast<uint64_t>(options_.whole_first);
      const Burst burst = choose_burst(rng);
      const bool whole = first || rng.bernoulli(options_.whole_bursts);
      excursions.push_back({burst, first, whole && !endless_});
    }
    const ProposalContext context{model_, options_,    *values_, *candidates_, controller_.fsc(),
                                  stop,   stock_.get()};
    return share_out<Proposal>(pool_, excursions.size(), [&](size_t i) {
      return make_proposal(context, excursions[i], key.fold("proposal").fold(i),
                           key.fold("merge").fold(i));
    });
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
      if (controller_.take_over(p, options_.keep_excursions, beats, work_))
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
    const bool wanted = endless_ || (many_observations_ && !stock_ &&
                                     model_.facts().num_actions <= options_.all_actions_up_to);
    if (options_.tune == "no" || (options_.tune == "auto" && !wanted)) return true;
    const double due = options_.tune_share * static_cast<double>(backups_);
    if (static_cast<double>(tuned_ + tuning_.tune_nodes) > due) return true;
    const TuneReport r = tune_nodes(model_, tuning_, *candidates_, depth_, controller_.nodes(),
                                    root_.fold("tune").fold(round_ - 1), pool_, stop, stock_.get());
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
    if (options_.search == 0 || stock_) weight[static_cast<int>(Burst::kSearch)] = 0;
    return static_cast<Burst>(rng.categorical(weight));
  }

  std::unique_ptr<ActionStock> stock_;  // where actions are a box: all that nodes take
  const Pomdp& model_;
  const RoundsOptions& options_;
  const MakeFirstPlan& make_plan_;
  const Anytime& frame_;
  ThreadPool& pool_;
  RngKey root_;
  std::shared_ptr<const MdpValue> values_;
  const bool wants_upper_;
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
  bool bounded_ = false;  // where actions are a box: upper_ is there
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
  Anytime frame(limits, report, pool,
                {.growth = 1.2, .early = 500, .slack = 0.6, .slack_share = 0.006});
  try {
    const RngKey root = RngKey::from_seed(seed).fold(name);
    if (options.islands.count == 1) {
      ControllerRounds rounds(model, options, root, make_candidates, make_plan, nullptr, true,
                              frame, pool);
      return frame.run(rounds);
    }
    const std::shared_ptr<const MdpValue> values =
        make_mdp_value(model, options.mdp, root.fold("mdp"), pool, frame.stop());
    Islands islands(options.islands, limits.backups, pool, frame.stop(),
                    [&](int i, ThreadPool& own) {
                      return std::make_unique<ControllerRounds>(model, options, island_key(root, i),
                                                                make_candidates, make_plan, values,
                                                                i == 0, frame, own);
                    });
    return frame.run(islands);
  } catch (const Stopped&) {
    return frame.stopped_at_start(model);
  }
}

}  // namespace penumbra::controller

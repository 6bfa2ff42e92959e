#include "penumbra/solvers/pomcgs/pomcgs.h"

#include <cmath>
#include <optional>

#include "penumbra/base/memory.h"
#include "penumbra/model/tabular_pomdp.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/search/falling_upper.h"
#include "penumbra/solvers/anytime.h"
#include "penumbra/solvers/best_so_far.h"
#include "penumbra/solvers/pomcgs/search.h"
#include "penumbra/solvers/real_actions.h"

namespace penumbra {
namespace pomcgs {
namespace {

constexpr double kFull = 0.8;      // share of the memory beyond which no belief is added
constexpr double kOver = 0.95;     // and beyond which the search ends
constexpr int kIdleTrials = 6400;  // trials that try nothing new: converged

class GraphRounds final : public Rounds {
 public:
  GraphRounds(const Pomdp& model, const PomcgsOptions& options, const Anytime& frame, uint64_t seed,
              ThreadPool& pool)
      : stock_(own_stock(model)),
        model_(stock_ ? *stock_ : model),
        options_(options),
        frame_(frame),
        pool_(pool),
        root_(RngKey::from_seed(seed).fold("pomcgs")),
        grid_(make_grid()),
        planned_(grid_ ? *grid_ : model_),
        values_(make_mdp_value(planned_, grid_ ? MdpValueOptions{"table"} : options.mdp,
                               root_.fold("mdp"), pool, frame.stop())),
        study_(study_actions(planned_, root_.fold("study"), pool, frame.stop())),
        blind_(grid_ ? BlindPolicies(planned_, grid_->tabular(), pool)
                     : BlindPolicies(model_, study_, options.sims, root_.fold("blind"), pool)),
        cells_(planned_, *values_, blind_, root_.fold("cells"), pool),
        supports_(planned_, study_, blind_, cells_, options, root_.fold("step"),
                  grid_ ? &grid_->tabular() : nullptr),
        graph_(planned_, supports_, blind_, options, root_.fold("graph"), pool,
               grid_ ? nullptr : stock_.get()),
        search_(planned_, options, graph_, root_.fold("trials"), !stock_ || values_->proven()) {}

  void start() override { start_search(); }

  bool round(const Stop&) override {
    search_.round(round_++, full());
    backups_ += options_.trials;
    return true;
  }

  uint64_t backups() const override { return backups_; }
  Standing standing() const override {
    return {.nodes = live_,
            .gap = best_.gap(upper_.value),
            .converged = search_.idle() * options_.trials >= kIdleTrials};
  }
  const Work& work() const override {
    work_.simulator_steps = supports_.steps() + upper_steps_;
    return work_;
  }

  void evaluate(SolveProgress& line, const Stop& stop) override {
    graph_.sweep();
    lower_upper_value(stop);
    live_ = 0;
    consider(graph_.controller(SearchGraph::Reading::kGraph));
    if (options_.borrow) consider(graph_.controller(SearchGraph::Reading::kPlans));
    line.estimate = graph_[0].lower;
    line.simulated = best_.score();
    line.upper = upper_;
  }

  void finish(Solution& s) override {
    s.estimate = best_.score().mean;
    s.upper = upper_;
    s.policy = std::make_shared<Fnc>(Fnc{minimised(best_.policy())});
  }

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 private:
  template <class Archive>
  void archive_all(Archive& a) {
    if (stock_) a(*stock_);
    a(round_, backups_, cells_, supports_, graph_, search_, best_, live_, upper_, upper_steps_);
  }

  // The model seen through a grid of its coordinates, where that is wanted.
  std::unique_ptr<TabularPomdp> make_grid() const {
    if (options_.start != "cells") return nullptr;
    return std::make_unique<TabularPomdp>(
        abstract_model(model_, options_.cells, root_.fold("grid"), pool_, frame_.stop()));
  }

  void start_on_cells() {
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
  void start_search() {
    if (grid_) return start_on_cells();
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
    RecordSet distinct(model_.state_size(), most);
    for (size_t i = 0; i < states.count(); ++i) {
      if (ended[i]) continue;
      distinct.insert(states.at(i));
      if (distinct.count() > most) return false;
      alive.push_back(states.at(i));
    }
    return true;
  }

  bool full() const {
    const double memory = frame_.limits().memory;
    if (memory <= 0) return false;
    bool is_full = static_cast<double>(resident_bytes()) >= kFull * memory;
    pool_.team().send_to_all(is_full);
    return is_full;
  }

  // The graph's own is an estimate. Where V_mdp is a bound a share of the work makes one of b0.
  void lower_upper_value(const Stop& stop) {
    if (grid_ || !values_->proven()) {
      upper_ = {graph_[0].upper, UpperKind::kEstimate};
      return;
    }
    if (stock_) {  // trees would bound no action beyond the stock
      if (!bounded_) upper_ = upper_at_start(model_, *values_, root_.fold("upper"));
      bounded_ = true;
      return;
    }
    if (!falling_)
      falling_.emplace(model_, *values_, upper_at_start(model_, *values_, root_.fold("upper")),
                       root_.fold("falling"));
    falling_->spend(search::share_for_upper(supports_.steps(), backups_), pool_, stop);
    if (falling_->steps() < upper_steps_) return;  // resumed, and stopped before it was there again
    upper_ = falling_->value();
    upper_steps_ = falling_->steps();
  }

  void consider(Fsc fsc) {
    if (stock_) fsc = with_real_actions(std::move(fsc), *stock_);
    const Pomdp& model = stock_ ? stock_->inner() : model_;
    const Score score = judge(model, FscPolicy(fsc, model.facts()), options_.evaluations, pool_);
    live_ = std::max(live_, fsc.num_nodes());
    if (best_.beaten_by(score)) best_.take(std::move(fsc), score);
  }

  std::unique_ptr<ActionStock> stock_;  // where actions are a box: all that nodes have
  const Pomdp& model_;
  const PomcgsOptions& options_;
  const Anytime& frame_;
  ThreadPool& pool_;
  RngKey root_;
  std::unique_ptr<TabularPomdp> grid_;
  const Pomdp& planned_;  // the model, or its grid
  std::unique_ptr<MdpValue> values_;
  std::optional<search::FallingUpper> falling_;
  UpperValue upper_;
  double upper_steps_ = 0;  // that went into it
  bool bounded_ = false;    // where actions are a box: upper_ is there
  ActionStudy study_;
  BlindPolicies blind_;
  Cells cells_;
  Supports supports_;
  SearchGraph graph_;
  Search search_;
  uint64_t round_ = 0, backups_ = 0;
  int live_ = 0;
  mutable Work work_;
  BestSoFar<Fsc> best_;
};

}  // namespace
}  // namespace pomcgs

namespace {

class PomcgsSolver final : public Solver {
 public:
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override { return Capability::kFiniteObservations; }
  PolicyForm makes() const override { return PolicyForm::kController; }
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override {
    require(model, needs(), "pomcgs");
    if (model.has(Capability::kFiniteActions))
      return solve_finite(model, limits, seed, pool, report);
    const ActionStock stock(model, first_actions(model.facts(), options_.action_stock));
    return with_real_actions(solve_finite(stock, limits, seed, pool, report), stock);
  }

 private:
  Solution solve_finite(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                        const Report& report) const {
    Anytime frame(limits, report, pool, {.first = 32, .memory_share = pomcgs::kOver});
    try {
      pomcgs::GraphRounds rounds(model, options_, frame, seed, pool);
      return frame.run(rounds);
    } catch (const Stopped&) {
      return frame.stopped_at_start(model);
    }
  }

  pomcgs::PomcgsOptions options_;
};

}  // namespace

std::unique_ptr<Solver> make_pomcgs() {
  return std::make_unique<PomcgsSolver>();
}

}  // namespace penumbra

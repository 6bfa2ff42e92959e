#include "penumbra/solvers/action_value_solver.h"

#include "penumbra/bounds/explicit_bounds.h"
#include "penumbra/model/seen_table.h"
#include "penumbra/policy/alpha_vectors.h"
#include "penumbra/solvers/anytime.h"
#include "penumbra/solvers/points/read_out.h"

namespace penumbra {
namespace {

enum class Bound { kMdp, kInformed };
constexpr double kPrecision = 1e-6;

// One round, which finds everything.
class BoundRounds final : public Rounds {
 public:
  BoundRounds(const Pomdp& model, Bound bound) : model_(model), bound_(bound) {}

  void start() override {}
  bool round(const Stop& stop) override {
    const auto mixed = mixed_model(model_);
    const PartActionValues q = bound_ == Bound::kMdp
                                   ? qmdp_bound(*mixed, mdp_bound(*mixed, kPrecision, stop), stop)
                                   : fast_informed_bound(*mixed, kPrecision, stop);
    policy_ = std::make_shared<const VectorPolicy>(
        VectorPolicy{points::action_vectors(*mixed, q), {}, mixed});
    upper_ = AlphaPolicy(policy_->vectors, mixed).start_value();
    return true;
  }

  uint64_t backups() const override { return 0; }
  Standing standing() const override {
    const int vectors = policy_ ? static_cast<int>(policy_->vectors.vectors.size()) : 0;
    return {.nodes = vectors, .converged = policy_ != nullptr};
  }
  void evaluate(SolveProgress& line, const Stop&) override {
    if (!policy_) round({});  // there is no time, but no policy without it either
    line.estimate = upper_;
    line.upper = {upper_, UpperKind::kProven};
  }
  const Work& work() const override { return work_; }
  void finish(Solution& s) override {
    s.policy = policy_;
    s.estimate = upper_;
    s.upper = {upper_, UpperKind::kProven};
  }
  void archive(Saver&) override {}
  void archive(Loader&) override {}

 private:
  const Pomdp& model_;
  Bound bound_;
  Work work_;
  std::shared_ptr<const VectorPolicy> policy_;
  double upper_ = 0;
};

class ActionValueSolver final : public Solver {
 public:
  explicit ActionValueSolver(Bound bound) : bound_(bound) {}
  OptionList options() override { return {}; }
  Capabilities needs() const override {
    return Capability::kTable | Capability::kFiniteActions | Capability::kFiniteObservations;
  }
  PolicyForm makes() const override { return PolicyForm::kVectors; }
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t, ThreadPool& pool,
                 const Report& report) override {
    Anytime frame(limits, report, pool, {.at_start = false});
    BoundRounds rounds(model, bound_);
    return frame.run(rounds);
  }

 private:
  Bound bound_;
};

}  // namespace

std::unique_ptr<Solver> make_qmdp() {
  return std::make_unique<ActionValueSolver>(Bound::kMdp);
}

std::unique_ptr<Solver> make_fib() {
  return std::make_unique<ActionValueSolver>(Bound::kInformed);
}

}  // namespace penumbra

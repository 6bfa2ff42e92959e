#include "penumbra/solvers/points/point_solver.h"

#include "penumbra/model/seen_table.h"
#include "penumbra/policy/alpha_vectors.h"
#include "penumbra/solvers/anytime.h"
#include "penumbra/solvers/points/read_out.h"

namespace penumbra::points {
namespace {

constexpr int kIdleRounds = 3;    // that found nothing: converged
constexpr double kClosed = 1e-9;  // a gap that is none

class PointRounds final : public Rounds {
 public:
  PointRounds(const Pomdp& pomdp, ThreadPool& pool)
      : pomdp_(pomdp), model_(mixed_model(pomdp)), bounds_(*model_, pool) {}

  PointBounds& bounds() { return bounds_; }
  void set_order(std::unique_ptr<BackupOrder> order) { order_ = std::move(order); }

  void start() override {}

  bool round(const Stop& stop) override {
    if (!in_round_) mark_ = mark();
    in_round_ = !order_->run(stop);
    if (in_round_) return false;
    idle_ = mark_ == mark() ? idle_ + 1 : 0;
    return true;
  }

  uint64_t backups() const override { return bounds_.num_backups(); }
  Standing standing() const override {
    const double gap = bounds_.root_upper() - bounds_.root_lower();
    return {.nodes = bounds_.vectors().num_listed(),
            .gap = gap,
            .converged = !in_round_ && (gap <= kClosed || idle_ >= kIdleRounds),
            .bytes = sizeof(double) * static_cast<double>(bounds_.vectors().listed_values())};
  }
  const Work& work() const override { return work_; }

  void evaluate(SolveProgress& line, const Stop&) override {
    line.estimate = line.lower = bounds_.root_lower();
    line.upper = {bounds_.root_upper(), UpperKind::kProven};
    line.lower_proven = true;
  }

  void finish(Solution& s) override {
    s.estimate = s.lower = bounds_.root_lower();
    s.upper = {bounds_.root_upper(), UpperKind::kProven};
    s.lower_proven = true;
    VectorPolicy policy{vectors_of(bounds_),
                        controller_of(bounds_, pomdp_.facts().num_observations), model_};
    s.policy = std::make_shared<const VectorPolicy>(std::move(policy));
  }

  void archive(Saver& saver) override {
    archive_all(saver);
    order_->save(saver);
  }
  void archive(Loader& loader) override {
    archive_all(loader);
    order_->load(loader);
  }

 private:
  template <class Archive>
  void archive_all(Archive& a) {
    a(in_round_, idle_, mark_, bounds_);
  }

  struct Mark {  // does not change when a round found nothing
    double lower = 0, upper = 0;
    int vectors = 0, points = 0;
    template <class Archive>
    void archive(Archive& a) {
      a(lower, upper, vectors, points);
    }
    bool operator==(const Mark&) const = default;
  };
  Mark mark() {
    return {bounds_.root_lower(), bounds_.root_upper(), bounds_.vectors().total(),
            bounds_.sawtooth().num_changes()};
  }

  const Pomdp& pomdp_;
  std::shared_ptr<const MixedModel> model_;  // shared with the policy
  mutable PointBounds bounds_;               // asking for a bound may bring it up to date
  std::unique_ptr<BackupOrder> order_;
  Work work_;
  bool in_round_ = false;  // the last one was stopped
  Mark mark_;              // when it began
  int idle_ = 0;           // rounds that found nothing
};

}  // namespace

Solution PointSolver::solve(const Pomdp& model, const Limits& limits, uint64_t seed,
                            ThreadPool& pool, const Report& report) {
  Anytime frame(limits, report, pool,
                {.at_start = false,
                 .by_clock = true,
                 .slack = 0,
                 .slack_share = 0,
                 .stop_within_rounds = true});
  PointRounds rounds(model, pool);
  rounds.set_order(order(rounds.bounds(), seed));
  return frame.run(rounds);
}

}  // namespace penumbra::points

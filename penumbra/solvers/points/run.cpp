#include "penumbra/solvers/points/run.h"

#include <chrono>

#include "penumbra/base/memory.h"
#include "penumbra/model/seen_table.h"
#include "penumbra/solvers/points/plan.h"

namespace penumbra::points {
namespace {

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Frame {
 public:
  Frame(const Pomdp& model, const Limits& limits, const Solver::Report& report)
      : pomdp_(model), limits_(limits), report_(report) {
    const Tabular table = seen_table(model);
    check_tabular(table, 1e-6);
    model_.emplace(table);
    bounds_.emplace(*model_);
  }

  Solution run(const std::function<Round(PointBounds&, const Stop&)>& make_round) {
    const Stop stop = [this] { return !hard_limit().empty(); };
    const Round round = make_round(*bounds_, stop);
    double next_line = 0.05;
    std::string status;
    while (true) {
      status = limit();
      const bool due = clock_.seconds() >= next_line;
      if (due || !status.empty()) report_(progress());
      if (!status.empty()) break;
      if (due) next_line = clock_.seconds() * 1.25;
      const Mark before = mark();
      round();
      if (before == mark() && ++idle_ >= 3) {
        report_(progress());
        status = "converged";
        break;
      }
      if (!(before == mark())) idle_ = 0;
    }
    return finish(status);
  }

 private:
  struct Mark {  // does not change when a round found nothing
    double lower, upper;
    int vectors, points;
    bool operator==(const Mark&) const = default;
  };
  Mark mark() {
    return {bounds_->root_lower(), bounds_->root_upper(), bounds_->vectors().total(),
            bounds_->sawtooth().num_changes()};
  }

  // What ends even a round that is under way.
  std::string hard_limit() const {
    if (limits_.cancelled && limits_.cancelled()) return "cancelled";
    if (limits_.seconds > 0 && clock_.seconds() >= limits_.seconds) return "time";
    if (limits_.backups > 0 && bounds_->num_backups() >= limits_.backups) return "backups";
    return "";
  }

  std::string limit() {
    const double gap = bounds_->root_upper() - bounds_->root_lower();
    if (limits_.gap > 0 && gap <= limits_.gap) return "gap";
    if (gap <= 1e-9) return "converged";
    if (limits_.nodes > 0 && bounds_->vectors().num_listed() >= limits_.nodes) return "nodes";
    if (limits_.memory > 0 && double(resident_bytes()) >= limits_.memory) return "memory";
    return hard_limit();
  }

  SolveProgress progress() {
    SolveProgress p;
    p.seconds = clock_.seconds();
    p.backups = bounds_->num_backups();
    p.nodes = bounds_->vectors().num_listed();
    p.estimate = p.lower = bounds_->root_lower();
    p.upper = bounds_->root_upper();
    p.lower_proven = p.upper_proven = true;
    p.memory = static_cast<double>(resident_bytes());
    return p;
  }

  Solution finish(const std::string& status) {
    Solution s;
    s.status = status;
    s.seconds = clock_.seconds();
    s.backups = bounds_->num_backups();
    s.estimate = s.lower = bounds_->root_lower();
    s.upper = bounds_->root_upper();
    s.lower_proven = s.upper_proven = true;
    s.controller.fsc = plan_controller(*bounds_, pomdp_.facts().num_observations);
    s.vectors = std::make_shared<const AlphaVectors>(plan_vectors(*bounds_));
    return s;
  }

  const Pomdp& pomdp_;
  const Limits& limits_;
  const Solver::Report& report_;
  Clock clock_;
  std::optional<MixedModel> model_;
  std::optional<PointBounds> bounds_;
  int idle_ = 0;
};

}  // namespace

Solution run_rounds(const Pomdp& model, const Limits& limits, const Solver::Report& report,
                    const std::function<Round(PointBounds&, const Stop&)>& make_round) {
  return Frame(model, limits, report).run(make_round);
}

}  // namespace penumbra::points

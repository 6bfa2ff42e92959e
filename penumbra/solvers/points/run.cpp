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
  Frame(const Pomdp& model, const Limits& limits, ThreadPool& pool, const Solver::Report& report)
      : pomdp_(model), limits_(limits), report_(report) {
    const Tabular table = seen_table(model);
    check_tabular(table, 1e-6);
    model_.emplace(table);
    bounds_.emplace(*model_, pool);
  }

  Solution run(const std::function<std::unique_ptr<Rounds>(PointBounds&)>& make_rounds) {
    constexpr uint64_t kOften = 16;  // a look at the memory costs as much as a small backup
    const Stop stop = [this, asked = uint64_t{0}]() mutable {
      return !hard_limit().empty() || (++asked % kOften == 0 && out_of_memory());
    };
    rounds_ = make_rounds(*bounds_);
    if (Checkpoints* c = limits_.checkpoints) c->resume([this](Loader& a) { archive(a); });
    double next_line = before_ + 0.05;
    std::string status;
    while (true) {
      if (!in_round_) {
        status = limit();
        const bool due = seconds() >= next_line;
        if (due || !status.empty()) report_(progress());
        if (!status.empty()) break;
        if (due) next_line = seconds() * 1.25;
        mark_ = mark();
      }
      in_round_ = !rounds_->run(stop);
      if (in_round_) {
        status = hard_limit();
        if (status.empty()) status = "memory";
        break;
      }
      idle_ = mark_ == mark() ? idle_ + 1 : 0;
      if (limits_.checkpoints && limits_.checkpoints->due()) save();
    }
    // Before the bounds are asked for what a solve that goes on would not ask them.
    if (limits_.checkpoints) save();
    if (in_round_) report_(progress());
    return finish(status);
  }

 private:
  template <class Archive>
  void archive(Archive& a) {
    double spent = seconds();
    a(spent, in_round_, idle_, mark_, *bounds_);
    if constexpr (Archive::kLoading) {
      before_ = spent;
      rounds_->load(a);
    } else {
      rounds_->save(a);
    }
  }
  void save() {
    limits_.checkpoints->save([this](Saver& a) { archive(a); });
  }
  double seconds() const { return before_ + clock_.seconds(); }

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
    return {bounds_->root_lower(), bounds_->root_upper(), bounds_->vectors().total(),
            bounds_->sawtooth().num_changes()};
  }

  // What ends even a round that is under way.
  std::string hard_limit() const {
    if (limits_.cancelled && limits_.cancelled()) return "cancelled";
    if (limits_.seconds > 0 && seconds() >= limits_.seconds) return "time";
    if (limits_.backups > 0 && bounds_->num_backups() >= limits_.backups) return "backups";
    return "";
  }

  std::string limit() {
    const double gap = bounds_->root_upper() - bounds_->root_lower();
    if (limits_.gap > 0 && gap <= limits_.gap) return "gap";
    if (gap <= 1e-9 || idle_ >= 3) return "converged";
    if (limits_.nodes > 0 && bounds_->vectors().num_listed() >= limits_.nodes) return "nodes";
    if (out_of_memory()) return "memory";
    return hard_limit();
  }

  bool out_of_memory() const {
    return limits_.memory > 0 && double(resident_bytes()) >= limits_.memory;
  }

  SolveProgress progress() {
    SolveProgress p;
    p.seconds = seconds();
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
    s.seconds = seconds();
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
  std::unique_ptr<Rounds> rounds_;
  double before_ = 0;      // seconds of the run before it was resumed
  bool in_round_ = false;  // the last one was cut short
  Mark mark_;              // when it began
  int idle_ = 0;           // rounds that found nothing
};

}  // namespace

Solution run_rounds(const Pomdp& model, const Limits& limits, ThreadPool& pool,
                    const Solver::Report& report,
                    const std::function<std::unique_ptr<Rounds>(PointBounds&)>& make_rounds) {
  return Frame(model, limits, pool, report).run(make_rounds);
}

}  // namespace penumbra::points

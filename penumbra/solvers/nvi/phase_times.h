// Where the time of a solve goes, in seconds of one thread.
#pragma once

#include <chrono>

namespace penumbra::nvi {

struct PhaseTimes {
  double plan = 0;      // the abstract plan
  double collect = 0;   // beliefs and exploration
  double simulate = 0;  // rollouts that choose successors
  double predict = 0;   // networks
  double verify = 0;    // rollouts that judge
  double generate = 0;  // training targets
  double train = 0;

  template <class Archive>
  void archive(Archive& a) {
    a(plan, collect, simulate, predict, verify, generate, train);
  }
  PhaseTimes& operator+=(const PhaseTimes& o) {
    plan += o.plan;
    collect += o.collect;
    simulate += o.simulate;
    predict += o.predict;
    verify += o.verify;
    generate += o.generate;
    train += o.train;
    return *this;
  }
};

// Adds the time of its scope to a phase. The clock is only read, never decided by.
class PhaseTimer {
 public:
  explicit PhaseTimer(double& phase) : phase_(phase), start_(Clock::now()) {}
  ~PhaseTimer() { phase_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& phase_;
  Clock::time_point start_;
};

}  // namespace penumbra::nvi

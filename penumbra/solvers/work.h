// What a solve has used so far: simulator, networks, and time by phase.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace penumbra {

enum class Phase {
  kPlan,      // a first plan
  kCollect,   // beliefs and exploration
  kSimulate,  // simulations that choose
  kPredict,   // networks that value
  kVerify,    // simulations that judge
  kGenerate,  // training targets
  kTrain,
  kPlay,   // episodes to learn from
  kLearn,  // from them
  kEvaluate,
};
inline constexpr int kNumPhases = 10;

struct Work {
  double simulator_steps = 0, network_evaluations = 0;
  double seconds[kNumPhases] = {};  // of one thread

  Work& operator+=(const Work& o) {
    simulator_steps += o.simulator_steps;
    network_evaluations += o.network_evaluations;
    for (int p = 0; p < kNumPhases; ++p) seconds[p] += o.seconds[p];
    return *this;
  }
  // The phases that took any time, by name.
  std::vector<std::pair<std::string, double>> timings() const {
    static constexpr const char* kNames[kNumPhases] = {"plan",   "collect",  "simulate", "predict",
                                                       "verify", "generate", "train",    "play",
                                                       "learn",  "evaluate"};
    std::vector<std::pair<std::string, double>> out;
    for (int p = 0; p < kNumPhases; ++p)
      if (seconds[p] > 0) out.emplace_back(kNames[p], seconds[p]);
    return out;
  }

  template <class Archive>
  void archive(Archive& a) {
    a(simulator_steps, network_evaluations, seconds);
  }
};

// Adds the time of its scope to a phase. The clock is only read, never decided by.
class PhaseTimer {
 public:
  PhaseTimer(Work& work, Phase phase)
      : seconds_(work.seconds[static_cast<int>(phase)]), start_(Clock::now()) {}
  ~PhaseTimer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_;
};

}  // namespace penumbra

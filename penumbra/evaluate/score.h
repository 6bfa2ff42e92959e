// How good a policy is, by simulation, with the uncertainty of that figure.
#pragma once

#include <functional>

#include "penumbra/base/moments.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

struct EvaluateOptions {
  uint64_t episodes = 10'000;
  uint64_t seed = 1;
  int max_steps = 0;                              // 0: until what is left is worth less than 0.001
  std::function<void(uint64_t done)> progress{};  // after every round of episodes, by the caller
  // Asked between rounds; the score so far counts. Where an episode takes long (planners, beliefs)
  // it is asked before each, by one thread at a time but not always the same.
  std::function<bool()> cancelled{};
};

struct Score : Estimate {
  uint64_t episodes() const { return count; }
  uint64_t steps = 0;
  uint64_t truncated = 0;  // episodes cut at max_steps
  int max_steps = 0;
  Estimate undiscounted{};      // the plain sum of the rewards, up to the cut
  double truncation_bound = 0;  // the mean is off by at most this because of the cut
  double seconds = 0;
  double played_seconds = 0;  // of all threads together, without what they waited (of evaluate)
  double steps_per_second() const { return seconds > 0 ? static_cast<double>(steps) / seconds : 0; }
};

// The same seed gives the same score, bit for bit, with any number of threads.
Score evaluate(const Pomdp& model, const Policy& policy, const EvaluateOptions& options,
               ThreadPool& pool);

// Two policies on the same episodes (common random numbers), and the paired difference a - b.
struct Comparison {
  Score a, b;
  Estimate difference;
};
Comparison compare(const Pomdp& model, const Policy& a, const Policy& b,
                   const EvaluateOptions& options, ThreadPool& pool);

}  // namespace penumbra

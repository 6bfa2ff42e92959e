// How good a policy is, by simulation, with the uncertainty of that figure.
#pragma once

#include <functional>

#include "penumbra/base/thread_pool.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

struct EvaluateOptions {
  uint64_t episodes = 10'000;
  uint64_t seed = 1;
  int max_steps = 0;                              // 0: until what is left is worth less than 0.001
  std::function<void(uint64_t done)> progress{};  // after every round of episodes
  std::function<bool()> cancelled{};              // asked between rounds; the score so far counts
};

// A mean with its standard error and 95 % interval (Student's t).
struct Estimate {
  double mean = 0, standard_error = 0, low = 0, high = 0;
  uint64_t count = 0;
};

struct Score : Estimate {
  uint64_t episodes() const { return count; }
  uint64_t steps = 0;
  uint64_t truncated = 0;  // episodes cut at max_steps
  int max_steps = 0;
  double truncation_bound = 0;  // the mean is off by at most this because of the cut
  double seconds = 0;
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

// Sums for a mean and its error; add() in a fixed order gives fixed bits.
class Moments {
 public:
  void add(double x) {
    ++count_;
    const double delta = x - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (x - mean_);
  }
  void add(const Moments& other);
  Estimate estimate() const;

 private:
  uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

// The 97.5 % quantile of Student's t.
double student_t_975(uint64_t degrees_of_freedom);

}  // namespace penumbra

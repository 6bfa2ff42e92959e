// Whether a budget lasts for one more descent.
#pragma once

#include <chrono>

#include "penumbra/search/search.h"

namespace penumbra::search {

class Deadline {
 public:
  explicit Deadline(const Budget& budget) : budget_(budget), start_(Clock::now()) {}

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  // After `done` descents: is there room for another one? By time, as long as the longest so far.
  bool allows(uint64_t done) {
    if (budget_.simulations > 0) return done < budget_.simulations;
    const double now = seconds();
    longest_ = std::max(longest_, now - last_);
    last_ = now;
    return now + longest_ < budget_.seconds;
  }
  // Inside a descent: has the time run out?
  bool over() const { return budget_.simulations == 0 && seconds() >= budget_.seconds; }

 private:
  using Clock = std::chrono::steady_clock;
  Budget budget_;
  Clock::time_point start_;
  double last_ = 0, longest_ = 0;
};

}  // namespace penumbra::search

// Whether a budget lasts for more descents.
#pragma once

#include <algorithm>
#include <chrono>

#include "penumbra/search/search.h"

namespace penumbra::search {

class Deadline {
 public:
  explicit Deadline(const Budget& budget) : budget_(budget), start_(Clock::now()) {}

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  // After `done` descents: may there be another one, that looks at the clock by itself?
  bool allows(uint64_t done) const {
    return budget_.simulations > 0 ? done < budget_.simulations : seconds() < limit();
  }
  // For planners that descend several times at once: how many of `most` there is room for.
  // By time, as many as half of what is left lasts for at the slowest pace lately.
  size_t room(uint64_t done, size_t most) {
    if (budget_.simulations > 0)
      return done < budget_.simulations ? std::min<uint64_t>(most, budget_.simulations - done) : 0;
    const double now = seconds(), left = budget_.seconds - now;
    if (done > counted_) pace_ = std::max(kForget * pace_, (now - last_) / double(done - counted_));
    counted_ = done;
    last_ = now;
    if (left <= pace_) return 0;
    return std::max<size_t>(1, std::min(double(most), 0.5 * left / (pace_ + 1e-12)));
  }
  // Seconds that a decision may take: without an end where descents are counted.
  double limit() const {
    return budget_.simulations > 0 ? std::numeric_limits<double>::infinity()
                                   : budget_.seconds - reserved_;
  }
  // For what comes after the last descent.
  void reserve(double seconds) { reserved_ += seconds; }

 private:
  static constexpr double kForget = 0.9;
  using Clock = std::chrono::steady_clock;
  Budget budget_;
  Clock::time_point start_;
  double last_ = 0;
  double reserved_ = 0;
  double pace_ = 0;  // seconds per descent
  uint64_t counted_ = 0;
};

}  // namespace penumbra::search

// How long work is told to end early: it asks a function of its caller, about every millisecond
// and at least every 50 ms.
#pragma once

#include <exception>
#include <functional>

namespace penumbra {

// True: end now. May be called from several threads at once, so it must be thread-safe; once it
// has said yes it must keep to that. Empty: never.
using Stop = std::function<bool()>;

inline bool asked_to_stop(const Stop& stop) {
  return stop && stop();
}

// Thrown by work that was stopped and has nothing to show for it. Neither bad input nor a bug:
// whoever passed the Stop turns it into a status.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped on the way"; }
};

inline void throw_if_stopped(const Stop& stop) {
  if (asked_to_stop(stop)) throw Stopped();
}

// Asks once per `every` units of work, as asking costs about a look at the clock. For one thread.
class PacedStop {
 public:
  PacedStop(const Stop& stop, double every) : stop_(stop), every_(every) {}
  // Whether to end, after so much more work.
  bool after(double work) {
    if (stopped_ || (done_ += work) < every_) return stopped_;
    done_ = 0;
    return stopped_ = asked_to_stop(stop_);
  }
  bool stopped() const { return stopped_; }

 private:
  const Stop& stop_;
  double every_, done_ = 0;
  bool stopped_ = false;
};

}  // namespace penumbra

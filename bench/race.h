// Contenders measured in turn, in the CPU time of one thread; figures are medians over the rounds.
// A round counts only if a small matrix product in the first-level cache ran at its usual speed
// right before and after it: otherwise somebody else had a share of the core, and it is done again.
#pragma once

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "penumbra/nn/aligned.h"
#include "penumbra/nn/kernels.h"

namespace penumbra::nn {

inline double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// Multiply-adds per second of one core, right now.
inline double peak_rate() {
  float sink = float(wall_seconds());
  const double start = cpu_seconds();
  const double done = kernels().fma_loop(400'000, &sink);
  return done / (cpu_seconds() - start);
}

// A product that needs the whole core, not only its multiply-add units: it slows down as soon as
// anybody shares the core, which the peak alone does not.
class Probe {
 public:
  void run() {
    for (int i = 0; i < 60; ++i) {
      kernels().gemm({.rows = 24,
                      .inner = 64,
                      .panels = 4,
                      .a = a_.data(),
                      .a_row = 80,
                      .b = b_.data(),
                      .b_panel = 64 * kPanel,
                      .b_inner = kPanel,
                      .c = c_.data(),
                      .c_row = 80,
                      .c_panel = kPanel});
    }
  }
  // Whether this thread had a core for itself just now.
  bool undisturbed() {
    run();
    const double start = wall_seconds();
    run();
    const double took = wall_seconds() - start;
    best_ = std::min(best_, took);
    return took < 1.04 * best_;
  }

 private:
  AlignedVector<float> a_ = AlignedVector<float>(24 * 80, 0.5f);
  AlignedVector<float> b_ = AlignedVector<float>(64 * 64, 0.5f);
  AlignedVector<float> c_ = AlignedVector<float>(24 * 80);
  double best_ = 1;
};

inline Probe probe;

struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds = {}, of_peak = {};
};

// Runs the contenders in turn until each has its rounds, or the patience is at an end: on a busy
// machine some may have fewer, or none.
inline void race(std::vector<Contender>& all, int rounds, double fmas) {
  for (Contender& c : all) c.run();
  for (int i = 0; i < 60 * rounds; ++i) {
    bool done = true;
    for (Contender& c : all) {
      if (int(c.seconds.size()) >= rounds) continue;
      done = false;
      const double peak = peak_rate();
      if (!probe.undisturbed()) continue;
      const double start = cpu_seconds();
      c.run();
      const double took = cpu_seconds() - start;
      if (!probe.undisturbed()) continue;
      c.seconds.push_back(took);
      c.of_peak.push_back(fmas / took / std::max(peak, peak_rate()));
    }
    if (done) return;
  }
  for (Contender& c : all) {
    if (!c.seconds.empty() && int(c.seconds.size()) < rounds)
      c.name += fmt::format(" ({} rounds only)", c.seconds.size());
  }
}

// The median times `scale` with its unit, or that there is none.
inline std::string figure(const std::vector<double>& values, double scale, int digits,
                          const char* unit = "") {
  if (values.empty()) return "not measured";
  return fmt::format("{:.{}f}{}", scale * median(values), digits, unit);
}

inline void print(const char* what, const std::vector<Contender>& all, double rows) {
  const std::vector<double>& ours = all[0].seconds;
  for (const Contender& c : all) {
    fmt::print("| {} | {} | {} | {} | {} |\n", what, c.name,
               figure(c.seconds, 1e6 / rows, 3, " us"), figure(c.of_peak, 100, 1, " %"),
               ours.empty() ? "not measured" : figure(c.seconds, 1 / median(ours), 2));
  }
}

}  // namespace penumbra::nn

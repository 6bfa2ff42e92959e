// How far a job is, on stderr: one line that updates itself on a terminal, plain lines now and
// then otherwise, nothing when quiet.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace penumbra::cli {

class Progress {
 public:
  // "evaluating tiger": the job; `unit`: what is counted, "episodes".
  Progress(bool quiet, std::string job, std::string unit, uint64_t total);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(uint64_t done);
  // Clears the live line, so that results stand alone.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_, live_;
  std::string job_, unit_;
  uint64_t total_;
  Clock::time_point start_, last_;
};

}  // namespace penumbra::cli

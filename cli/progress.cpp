#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cli/terminal.h"

namespace penumbra::cli {
namespace {

constexpr std::chrono::milliseconds kLiveEvery{100}, kLinesEvery{2000};

}  // namespace

Progress::Progress(bool quiet, std::string job, std::string unit, uint64_t total)
    : quiet_(quiet),
      live_(!quiet && is_terminal(STDERR_FILENO)),
      job_(std::move(job)),
      unit_(std::move(unit)),
      total_(total),
      start_(Clock::now()),
      last_(start_) {
  if (quiet_) return;
  fmt::print(stderr, "{}{}: {} {}{}", live_ ? "\r\033[K" : "", job_, total_, unit_,
             live_ ? "" : "\n");
  std::fflush(stderr);
}

void Progress::update(uint64_t done) {
  const auto now = Clock::now();
  if (quiet_ || now - last_ < (live_ ? kLiveEvery : kLinesEvery)) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const double left = share > 0 ? seconds / share - seconds : 0;
  fmt::print(stderr, "{}{}: {} of {} {} ({:.0f} %), {:.0f} s left{}", live_ ? "\r\033[K" : "", job_,
             done, total_, unit_, 100 * share, left, live_ ? "" : "\n");
  std::fflush(stderr);
}

void Progress::finish() {
  if (!live_) return;
  live_ = false;
  quiet_ = true;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace penumbra::cli

#include "cli/solve_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "cli/terminal.h"
#include "penumbra/base/error.h"
#include "penumbra/runs/run_watch.h"

namespace penumbra::cli {
namespace {

constexpr std::chrono::milliseconds kFrameEvery{200};

}  // namespace

SolveDisplay::SolveDisplay(SolveOptions& o, const std::string& domain)
    : o_(o),
      told_before_(o.common),
      live_(!o.common.quiet && o.common.leads() && takes_blocks(STDERR_FILENO)),
      block_(STDERR_FILENO),
      heard_(Clock::now()) {
  if (!live_) return;
  if (!o.run.empty()) know_the_past(o.run);
  state_.domain = domain;
  state_.solver = o.solver;
  state_.limits = read_limits(o);
  state_.phase = RunPhase::kSettingUp;
  o.common.tell = [this](const std::string& line) { print_above(line); };
  o.common.warn = [this](const std::string& line) { print_above("penumbra: warning: " + line); };
  draw();
  drawer_ = std::thread([this] { keep_drawing(); });
}

// Of a run that is resumed.
void SolveDisplay::know_the_past(const std::string& run) try {
  RunWatch past(run);
  past.look();
  state_ = past.state();
} catch (const Error&) {
  // Only the curve begins later.
}

void SolveDisplay::report(const SolveProgress& line) {
  if (o_.common.quiet) return;
  if (!live_) {
    fmt::print(stderr, "{}\n", progress_line(line));
    return;
  }
  const std::lock_guard lock(mutex_);
  state_.add(line);
  heard_ = Clock::now();
  draw();
}

void SolveDisplay::scoring() {
  if (!live_) return;
  const std::lock_guard lock(mutex_);
  state_.phase = RunPhase::kScoring;
  draw();
}

void SolveDisplay::finish() {
  if (!live_) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_all();
  drawer_.join();
  live_ = false;
  block_.erase(style_of(STDERR_FILENO).columns);
  o_.common.tell = told_before_.tell;
  o_.common.warn = told_before_.warn;
}

void SolveDisplay::print_above(const std::string& line) {
  const std::lock_guard lock(mutex_);
  block_.print_above(line, style_of(STDERR_FILENO).columns);
}

void SolveDisplay::draw() {
  const BlockStyle style = style_of(STDERR_FILENO);
  const double since = std::chrono::duration<double>(Clock::now() - heard_).count();
  block_.draw(ProgressBlock(style).lines(
                  state_, state_.seconds + since,
                  interrupted() ? "ending; Ctrl-C again ends at once, without a result" : ""),
              style.columns);
}

void SolveDisplay::keep_drawing() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kFrameEvery, [this] { return over_; })) draw();
}

}  // namespace penumbra::cli

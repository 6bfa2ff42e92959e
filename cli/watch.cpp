// penumbra watch: how a run in another process goes, from its folder.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/live_block.h"
#include "cli/progress_line.h"
#include "cli/terminal.h"
#include "penumbra/base/error.h"
#include "penumbra/runs/run_folder.h"
#include "penumbra/runs/run_watch.h"

namespace penumbra::cli {
namespace {

constexpr const char* kWatchExamples =
    "Examples:\n"
    "  penumbra watch runs/rs7              until the run ends; Ctrl-C ends the watching alone\n"
    "  penumbra watch runs/rs7 --once       how it stands now\n"
    "  penumbra watch runs/rs7 --quiet      waits for the end\n"
    "\n"
    "A run that has not begun is waited for. On a terminal the block of penumbra solve is shown,\n"
    "otherwise a plain line for each report.\n";

constexpr std::chrono::milliseconds kLookEvery{250};

struct WatchArguments {
  std::string run;
  bool once = false;
  CommonOptions common;
};

Json state_json(const std::string& run, const RunWatch& watch) {
  const RunState& state = watch.state();
  Json out{{"run", run},
           {"phase", name_of(state.phase)},
           {"domain", state.domain},
           {"solver", state.solver},
           {"seconds", watch.seconds()}};
  if (!state.status.empty()) out["status"] = state.status;
  if (!state.lines().empty()) {
    out["progress"] = progress_json(state.lines().back());
    out["progress"].erase("cpu_seconds");  // of this process
  }
  if (state.score)
    out["score"] = {{"mean", state.score->mean},
                    {"standard_error", state.score->standard_error},
                    {"low", state.score->low},
                    {"high", state.score->high},
                    {"episodes", state.score->count}};
  return out;
}

// Shows what is new, one way or another.
class WatchDisplay {
 public:
  WatchDisplay(const WatchArguments& o, const RunWatch& watch)
      : o_(o),
        watch_(watch),
        silent_(o.common.quiet || o.common.json),
        live_(!silent_ && !o.once && takes_blocks(STDOUT_FILENO)),
        block_(STDOUT_FILENO) {}

  void wait() {
    if (silent_) return;
    const std::string words =
        fmt::format("waiting for the run {} to begin; Ctrl-C ends", shown_text(o_.run, false));
    if (live_)
      block_.draw({words.substr(0, size_t(std::max(1, style_of(STDOUT_FILENO).columns - 1)))},
                  style_of(STDOUT_FILENO).columns);
    else if (!std::exchange(told_, true))
      fmt::print("{}\n", words);
    std::fflush(stdout);
  }

  void update() {
    if (silent_) return;
    if (live_) {
      const BlockStyle style = style_of(STDOUT_FILENO);
      block_.draw(block_lines(style), style.columns);
      return;
    }
    if (o_.once) return;
    const std::vector<SolveProgress>& lines = watch_.state().lines();
    // A resumed run may have taken some back.
    for (printed_ = std::min(printed_, lines.size()); printed_ < lines.size(); ++printed_)
      fmt::print("{}\n", progress_line(lines[printed_]));
    std::fflush(stdout);
  }

  void end() {
    if (o_.common.json) return print_json(state_json(o_.run, watch_));
    if (live_) return block_.leave();
    for (const std::string& line : block_lines(style_of(STDOUT_FILENO))) fmt::print("{}\n", line);
  }

 private:
  std::vector<std::string> block_lines(const BlockStyle& style) const {
    return ProgressBlock(style).lines(watch_.state(), watch_.seconds());
  }

  const WatchArguments& o_;
  const RunWatch& watch_;
  const bool silent_, live_;
  bool told_ = false;
  LiveBlock block_;
  size_t printed_ = 0;
};

int watch_run(const WatchArguments& o) {
  RunWatch watch(o.run);
  WatchDisplay display(o, watch);
  watch.look();
  if (o.once && watch.state().phase == RunPhase::kWaiting)
    throw Error(fmt::format("there is no run in '{}' yet", o.run));
  catch_interrupts();
  while (!o.once && !watch.over() && !interrupted()) {
    if (watch.state().phase == RunPhase::kWaiting)
      display.wait();
    else
      display.update();
    std::this_thread::sleep_for(kLookEvery);
    watch.look();
  }
  display.update();
  display.end();
  if (watch.state().phase == RunPhase::kLost && !o.once)
    throw Error(fmt::format(
        "no process works on the run {} and it has no end: it was killed; penumbra resume {} goes "
        "on with it",
        o.run, o.run));
  return kOk;
}

}  // namespace

std::function<int()> declare_watch(Flags& flags) {
  auto o = std::make_shared<WatchArguments>();
  flags.positional("RUN", o->run, Need::kRequired, "the folder that solve --run made or will make");
  flags.flag("--once", o->once, "print how it stands now, and end");
  declare_output(flags, o->common);
  flags.examples(kWatchExamples);
  return [o] { return watch_run(*o); };
}

}  // namespace penumbra::cli

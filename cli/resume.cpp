// penumbra resume: goes on with a run from its newest checkpoint.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/solve_command.h"
#include "penumbra/base/error.h"
#include "penumbra/runs/resume.h"
#include "penumbra/runs/run_watch.h"

namespace penumbra::cli {
namespace {

constexpr const char* kResumeExamples =
    "Examples:\n"
    "  penumbra resume runs/rs7                 to the limits that it was started with\n"
    "  penumbra resume runs/rs7 --time 2h       until two hours have been spent in all\n"
    "  penumbra resume runs/rs7 --backups 1e6   byte for byte as if it had never been stopped\n"
    "\n"
    "Limits count from the beginning of the run. Those given here replace all that it had.\n";

struct ResumeArguments {
  std::string run;
  std::vector<std::string> values = std::vector<std::string>(run_overrides().size());
  bool other_build = false;
  CommonOptions common;
};

// Why a run ended by itself; empty where it did not, or its log does not say.
std::string end_of(const std::string& folder) {
  try {
    RunWatch watch(folder);
    watch.look();
    const RunState& state = watch.state();
    return state.phase == RunPhase::kEnded && state.status != "cancelled" ? state.status : "";
  } catch (const Error&) {
    return "";
  }
}

int run(const ResumeArguments& given, const Flags& flags) {
  SolveOptions o;
  report_to_terminal(flags, o.common);
  OptionRecord options;
  declare_solve_options(options, o);
  ConfigTable overrides;
  bool limited = false;
  for (size_t i = 0; i < run_overrides().size(); ++i)
    if (!given.values[i].empty()) {
      overrides.emplace_back(run_overrides()[i].key, given.values[i]);
      limited |= run_overrides()[i].is_limit;
    }
  read_run_options(given.run, overrides, given.other_build, o, options);
  o.common.json = given.common.json;
  o.common.quiet = given.common.quiet;
  if (const std::string end = limited || !o.common.leads() ? "" : end_of(given.run);
      end == "time" || end == "backups" || end == "nodes" || end == "gap")
    o.common.note(
        fmt::format("{} had ended by {}: it is scored again; --time or --backups give it "
                    "more",
                    given.run, end));
  return resume_solve(o, options);
}

}  // namespace

std::function<int()> declare_resume(Flags& flags) {
  auto o = std::make_shared<ResumeArguments>();
  flags.positional("RUN", o->run, Need::kRequired, "the folder that solve --run made");
  for (size_t i = 0; i < run_overrides().size(); ++i)
    flags.text(run_overrides()[i].name, o->values[i], Need::kOptional, run_overrides()[i].help);
  flags.flag("--other-build", o->other_build,
             "go on although another build of the program saved the run");
  declare_output(flags, o->common);
  flags.examples(kResumeExamples);
  return [o, &flags] { return run(*o, flags); };
}

}  // namespace penumbra::cli

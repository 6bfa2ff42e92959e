// penumbra resume: goes on with a run from its newest checkpoint.
#include <memory>

#include "cli/command.h"
#include "cli/run_checkpoints.h"
#include "cli/run_folder.h"
#include "cli/solve_options.h"

namespace penumbra::cli {
namespace {

constexpr const char* kResumeExamples =
    "Examples:\n"
    "  penumbra resume runs/rs7                 to the limits that it was started with\n"
    "  penumbra resume runs/rs7 --time 2h       until two hours have been spent in all\n"
    "  penumbra resume runs/rs7 --backups 1e6   byte for byte as if it had never been stopped\n"
    "\n"
    "Limits count from the beginning of the run. Those given here replace all that it had.\n";

struct Override {
  const char* key;
  const char* name;
  const char* help;
  bool is_limit;
};
constexpr Override kOverrides[] = {
    {"time", "--time", "when to stop: 90, 90s, 10m, 2h, 0 for never", true},
    {"backups", "--backups", "stop after this much work", true},
    {"nodes", "--nodes", "stop at this many nodes", true},
    {"gap", "--gap", "stop when the value is this close to the bound", true},
    {"memory", "--memory", "stop before this many megabytes are in use", false},
    {"episodes", "--episodes", "of the final score", false},
    {"checkpoint", "--checkpoint", "how often the run is saved", false},
    {"threads", "--threads", "how many; results do not depend on it", false},
    {"output", "-o,--output", "where the policy goes, besides the run's folder", false},
};

struct ResumeArguments {
  std::string run;
  std::string values[std::size(kOverrides)];
  bool other_build = false;
  CommonOptions common;
};

int run(const ResumeArguments& given) {
  SolveOptions o;
  Flags flags;
  declare_solve_options(flags, o);
  {
    const RunFolder folder = RunFolder::open(given.run);
    for (const auto& [key, value] : folder.config())
      flags.set(key, value, folder.file("config.toml") + ": ");
    if (!given.other_build) check_same_build(given.run);
  }
  bool limited = false;
  for (size_t i = 0; i < std::size(kOverrides); ++i)
    limited |= kOverrides[i].is_limit && !given.values[i].empty();
  if (limited) {
    o.time = "0";
    o.backups = o.nodes = 0;
    o.gap.clear();
  }
  for (size_t i = 0; i < std::size(kOverrides); ++i)
    if (!given.values[i].empty()) flags.set(kOverrides[i].key, given.values[i]);
  o.run = given.run;
  o.common.json = given.common.json;
  o.common.quiet = given.common.quiet;
  return resume_solve(o, flags);
}

}  // namespace

std::function<int()> declare_resume(Flags& flags) {
  auto o = std::make_shared<ResumeArguments>();
  flags.positional("RUN", o->run, Need::kRequired, "the folder that solve --run made");
  for (size_t i = 0; i < std::size(kOverrides); ++i)
    flags.text(kOverrides[i].name, o->values[i], Need::kOptional, kOverrides[i].help);
  flags.flag("--other-build", o->other_build,
             "go on although another build of the program saved the run");
  declare_output(flags, o->common);
  flags.examples(kResumeExamples);
  return [o] { return run(*o); };
}

}  // namespace penumbra::cli

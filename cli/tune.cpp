// penumbra tune: searches for good options of a solver (runs/tuning.h).
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "penumbra/runs/tuning.h"

namespace penumbra::cli {
namespace {

constexpr const char* kTuneExamples =
    "Examples:\n"
    "  penumbra tune experiments/ppo_search.toml light-dark --solver ppo --trials 50 --time 10m\n"
    "      --run tuning/light-dark\n"
    "  penumbra tune space.toml tiger --solver nvi --trials 20 --backups 2000 --run tuning/tiger\n"
    "  penumbra solve --config tuning/tiger/best.toml -o tiger.policy\n"
    "\n"
    "The same command goes on with a search that was stopped; more --trials make it longer. With\n"
    "--backups the same seed gives the same search, with any number of threads.\n";

void print_trial(const Trial& trial) {
  std::string settings;
  for (const auto& [name, value] : trial.settings) settings += fmt::format(" {}={}", name, value);
  fmt::print(stderr, "trial {:3}  {:9.4f} +- {:.4f}  {:7.1f} s  {}{}\n", trial.number, trial.score,
             1.96 * trial.standard_error, trial.seconds, trial.status, settings);
}

void print_as_json(const TuneOptions& o, const TuneResult& found) {
  const Trial& best = *found.best;
  Json out{{"domain", found.problem},
           {"solver", o.solver},
           {"trials", found.trials.size()},
           {"stopped_early", found.stopped_early},
           {"best",
            {{"trial", best.number},
             {"score", best.score},
             {"standard_error", best.standard_error},
             {"episodes", best.episodes},
             {"settings", Json::object()}}},
           {"importance", Json::object()},
           {"config", found.config}};
  for (const auto& [name, value] : best.settings) out["best"]["settings"][name] = value;
  for (const auto& [name, share] : found.importance) out["importance"][name] = share;
  print_json(out);
}

void print_as_text(const TuneOptions& o, const TuneResult& found) {
  const Trial& best = *found.best;
  fmt::print("{}, solver {}: {} trials, {} of them stopped early\n", found.problem, o.solver,
             found.trials.size(), found.stopped_early);
  fmt::print("  best      trial {}: {:.4f}, standard error {:.4f}, {} episodes\n", best.number,
             best.score, best.standard_error, best.episodes);
  fmt::print("  config    {}\n", found.config);
  fmt::print("  option             best          explains alone (of the variance of scores)\n");
  for (size_t i = 0; i < found.importance.size(); ++i)
    fmt::print("  {:<18} {:<13} {:.0f} %\n", best.settings[i].first, best.settings[i].second,
               100 * found.importance[i].second);
  fmt::print(
      "The best of many trials looks better than it is: score it again with another seed.\n");
}

int run(const TuneOptions& o) {
  const TuneResult found = tune(o, [&](const Trial& trial) {
    if (!o.common.quiet) print_trial(trial);
  });
  if (!found.best) {
    fmt::print(stderr, "interrupted before a trial had ended; the same command goes on\n");
    return kInterrupted;
  }
  if (o.common.json)
    print_as_json(o, found);
  else
    print_as_text(o, found);
  return found.trials.size() >= o.trials ? kOk : kInterrupted;
}

}  // namespace

std::function<int()> declare_tune(Flags& flags) {
  auto o = std::make_shared<TuneOptions>();
  declare_tune_options(flags, *o);
  report_to_terminal(flags, o->common);
  flags.examples(kTuneExamples);
  return [o] {
    catch_interrupts();
    return run(*o);
  };
}

}  // namespace penumbra::cli

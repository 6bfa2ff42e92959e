// penumbra solve: computes a policy, shows how it goes, scores it and saves it.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/solve_command.h"
#include "cli/solve_display.h"
#include "penumbra/policy/alpha_vectors.h"
#include "penumbra/policy/recurrent.h"
#include "penumbra/runs/solve_job.h"
#include "penumbra/solvers/registry.h"

namespace penumbra::cli {
namespace {

constexpr const char* kSolveExamples =
    "Examples:\n"
    "  penumbra solve tiger --time 5s\n"
    "  penumbra solve 'rock-sample(n=7,k=8,map_seed=1)' --time 1m -o rs7.policy\n"
    "  penumbra solve 'rock-sample(n=20,k=20,map_seed=1)' --time 10m -o rs20.policy\n"
    "  penumbra solve light-dark --backups 20000 --threads 1 --json\n"
    "  penumbra solve tiger --time 10m --run runs/tiger     survives; see penumbra resume\n"
    "  penumbra evaluate 'rock-sample(n=7,k=8,map_seed=1)' --policy rs7.policy\n"
    "\n"
    "Continuous observations are grouped into clusters: light-dark(clusters=50) sets how many.\n"
    "Ctrl-C ends with the best policy so far. The same seed and --backups give the same policy,\n"
    "byte for byte, with any number of threads; --time only decides when to stop.\n"
    "\n"
    "Every solver has options of its own: penumbra solve --solver nvi --help adds those of nvi,\n"
    "and penumbra solvers lists the solvers.\n";

const char* upper_meaning(UpperKind kind) {
  return kind == UpperKind::kProven    ? "a proven bound"
         : kind == UpperKind::kSampled ? "the end of a 95 % interval around a sampled bound"
                                       : "an estimate, no bound";
}

void print_result(const SolveOptions& o, const Pomdp& model, const Solution& s,
                  const Score& score) {
  fmt::print("{}, solver {}, seed {}: ended by {}\n", model.facts().name, o.solver, o.common.seed,
             s.status);
  fmt::print(
      "  value     {:.4f}, standard error {:.4f}, 95 % interval {:.4f} to {:.4f}, {} episodes\n",
      score.mean, score.standard_error, score.low, score.high, score.episodes());
  if (s.lower_proven)
    fmt::print("  bounds    {:.6f} to {:.6f}, both proven\n", s.lower, s.upper.value);
  else
    fmt::print("  upper     {:.4f}: {}\n", s.upper.value, upper_meaning(s.upper.kind));
  if (const auto* vectors = policy_as<VectorPolicy>(s.policy))
    fmt::print("  vectors   {}\n", vectors->vectors.vectors.size());
  if (const auto* actor = policy_as<RecurrentActor>(s.policy))
    fmt::print("  network   {} units, {}\n", actor->net.shape().hidden,
               actor->greedy ? "likeliest action" : "action drawn");
  else
    fmt::print("  nodes     {}\n", num_nodes(s.policy));
  fmt::print("  work      {} backups, {:.0f} million simulator steps in {:.1f} s\n", s.backups,
             s.work.simulator_steps / 1e6, s.seconds);
  if (s.backups == 0 && s.status == "time")
    fmt::print("  note      no backup was done: the time went into preparations; give it more\n");
  if (!o.output.empty()) fmt::print("  policy    {}\n", o.output);
  if (!o.run.empty()) fmt::print("  run       {}\n", o.run);
  const auto timings = s.work.timings();
  if (timings.empty()) return;
  double total = 0;
  for (const auto& [phase, seconds] : timings) total += seconds;
  std::string shares;
  for (const auto& [phase, seconds] : timings)
    shares += fmt::format("{}{} {:.0f} %", shares.empty() ? "" : ", ", phase,
                          100 * seconds / std::max(total, 1e-9));
  fmt::print("  time      {:.2f} ms of one core per backup: {}\n",
             1000 * total / std::max<double>(1, static_cast<double>(s.backups)), shares);
}

int print_forecast(SolveJob& job, const SolveOptions& o) {
  const SolveForecast f = job.forecast();
  if (o.common.json) {
    print_json(f.fields);
    return kOk;
  }
  fmt::print("would solve {} with {}, threads {}\n", job.model().facts().name, o.solver, f.threads);
  fmt::print("  time      {}\n", f.seconds < HUGE_VAL ? fmt::format("about {:.0f} s", f.seconds)
                                                      : "no limit on time or work");
  fmt::print("  memory    about {:.0f} MB ({:.0f} MB with the model alone)\n", f.memory / 1e6,
             f.memory_of_model / 1e6);
  fmt::print("  speed     {:.0f} backups a second, in a solve of {:.1f} s\n{}",
             f.backups_per_second, f.probe_seconds, job.config_text());
  return kOk;
}

int solve_and_print(SolveJob& job, SolveOptions& o) {
  catch_interrupts();
  SolveDisplay display(o, job.model().facts().name);
  const SolveResult result =
      job.solve([&](const SolveProgress& p) { display.report(p); }, [&] { display.scoring(); });
  display.finish();
  if (o.common.json)
    print_json(result.fields);
  else
    print_result(o, job.model(), result.solution, result.score);
  return result.solution.status == "cancelled" ? kInterrupted : kOk;
}

// Puts the options of the solver that the arguments name into --help; of none without a name. An
// option that is not known is compared with those of the solver that would be used.
void show_solver_options(const std::vector<std::string>& arguments, const SolveOptions& o,
                         Flags& flags) {
  std::string name = argument_of(arguments, "--solver");
  if (name.empty() && !asks_for_help(arguments)) name = o.solver;
  if (name.empty() || name == "auto") return;
  const std::unique_ptr<Solver> solver = make_solver(name);
  flags.show_settings(solver->options(), name);
}

int run_solve(SolveOptions& o, const Flags& flags) {
  catch_checkpoint_requests();
  SolveJob job(o, flags);
  if (o.dry_run) return print_forecast(job, o);
  job.start_run();
  return solve_and_print(job, o);
}

}  // namespace

int resume_solve(SolveOptions& o, const OptionRecord& options) {
  catch_checkpoint_requests();
  SolveJob job(o, options);
  job.resume_run();
  return solve_and_print(job, o);
}

std::function<int()> declare_solve(Flags& flags) {
  auto o = std::make_shared<SolveOptions>();
  report_to_terminal(flags, o->common);
  declare_solve_options(flags, *o);
  flags.examples(kSolveExamples);
  flags.before_parsing([o, &flags](const std::vector<std::string>& arguments) {
    show_solver_options(arguments, *o, flags);
  });
  return [o, &flags] { return run_solve(*o, flags); };
}

}  // namespace penumbra::cli

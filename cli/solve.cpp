// penumbra solve: computes a policy, shows how it goes, scores it and saves it.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/duration.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/load.h"
#include "cli/score_json.h"
#include "penumbra/base/error.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/io/any_policy.h"
#include "penumbra/solvers/registry.h"

namespace penumbra::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  penumbra solve tiger --time 5s\n"
    "  penumbra solve 'rock-sample(n=7,k=8,map_seed=1)' --time 1m -o rs7.policy\n"
    "  penumbra solve 'rock-sample(n=20,k=20,map_seed=1)' --time 10m -o rs20.policy\n"
    "  penumbra solve light-dark --backups 20000 --threads 1 --json\n"
    "  penumbra evaluate 'rock-sample(n=7,k=8,map_seed=1)' --policy rs7.policy\n"
    "\n"
    "Continuous observations are grouped into clusters: light-dark(clusters=50) sets how many.\n"
    "Ctrl-C ends with the best policy so far. The same seed and --backups give the same policy,\n"
    "byte for byte, with any number of threads; --time only decides when to stop.\n"
    "penumbra solvers nvi tells more about the options of the solver.\n";

struct Options {
  std::string domain, solver = "nvi", output, time = "60s", execute = "controller";
  std::map<std::string, std::string> settings;  // of the solver, by name; empty: not given
  uint64_t backups = 0, nodes = 0, memory = 0, episodes = 100'000;
  std::string gap;
  CommonOptions common;
};

Limits read_limits(const Options& o) {
  Limits limits;
  limits.seconds = parse_duration("--time", o.time);
  limits.backups = o.backups;
  limits.nodes = static_cast<int>(o.nodes);
  limits.memory = static_cast<double>(o.memory) * 1e6;
  limits.cancelled = interrupted;
  if (!o.gap.empty() && (!parse_number(o.gap, limits.gap) || limits.gap <= 0))
    throw Error("--gap must be a number above 0, not '" + o.gap + "'");
  if (o.backups > 0 && o.time == "60s") limits.seconds = 0;  // work alone decides
  return limits;
}

// An output that cannot be written is told before the work, not after it.
void check_output(const std::string& path) {
  if (path.empty()) return;
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    throw Error(fmt::format("cannot write {}: there is no folder {}", path, folder.string()));
  if (std::filesystem::is_directory(path, error))
    throw Error(path + " is a folder; name a file for the policy");
  if (::access(folder.c_str(), W_OK) != 0)
    throw Error(fmt::format("cannot write into {}", folder.string()));
}

void print_line(const SolveProgress& p) {
  if (p.lower_proven) {
    fmt::print(stderr,
               "{:8.1f} s  {:9} backups  {:6} vectors  lower bound {:.5f}  upper bound {:.5f}  "
               "gap {:.5f}  {:5.0f} MB\n",
               p.seconds, p.backups, p.nodes, p.lower, p.upper, p.upper - p.lower, p.memory / 1e6);
    return;
  }
  fmt::print(stderr,
             "{:8.1f} s  {:9} backups  {:6} nodes  value {:8.3f} +- {:.3f}  {} {:.3f}  "
             "{:5.1f} M steps/s  {:5.0f} M networks/s  {:5.0f} MB\n",
             p.seconds, p.backups, p.nodes, p.simulated.mean,
             (p.simulated.high - p.simulated.low) / 2,
             p.upper_proven ? "upper bound" : "upper est.", p.upper,
             p.simulator_steps / 1e6 / std::max(p.seconds, 1e-9),
             p.network_evaluations / 1e6 / std::max(p.seconds, 1e-9), p.memory / 1e6);
}

void print_result(const Options& o, const Pomdp& model, const Solution& s, const Score& score) {
  fmt::print("{}, solver {}, seed {}: ended by {}\n", model.facts().name, o.solver, o.common.seed,
             s.status);
  fmt::print(
      "  value     {:.4f}, standard error {:.4f}, 95 % interval {:.4f} to {:.4f}, {} episodes\n",
      score.mean, score.standard_error, score.low, score.high, score.episodes());
  if (s.lower_proven)
    fmt::print("  bounds    {:.6f} to {:.6f}, both proven\n", s.lower, s.upper);
  else
    fmt::print("  {}     {:.4f}\n", s.upper_proven ? "bound" : "upper", s.upper);
  if (s.vectors) fmt::print("  vectors   {}\n", s.vectors->vectors.size());
  fmt::print("  nodes     {}\n", s.controller.fsc.num_nodes());
  fmt::print("  work      {} backups, {:.0f} million simulator steps in {:.1f} s\n", s.backups,
             s.simulator_steps / 1e6, s.seconds);
  if (!o.output.empty()) fmt::print("  policy    {}\n", o.output);
  if (s.timings.empty()) return;
  double total = 0;
  for (const auto& [phase, seconds] : s.timings) total += seconds;
  std::string shares;
  for (const auto& [phase, seconds] : s.timings)
    shares += fmt::format("{}{} {:.0f} %", shares.empty() ? "" : ", ", phase,
                          100 * seconds / std::max(total, 1e-9));
  fmt::print("  time      {:.2f} ms of one core per backup: {}\n",
             1000 * total / std::max<double>(1, static_cast<double>(s.backups)), shares);
}

Json result_json(const Options& o, const Pomdp& model, const Solution& s, const Score& score) {
  Json out;
  out["domain"] = model.facts().name;
  out["solver"] = o.solver;
  for (const auto& [name, value] : o.settings)
    if (!value.empty()) out["options"][name] = value;
  out["seed"] = o.common.seed;
  out["status"] = s.status;
  out["seconds"] = s.seconds;
  out["backups"] = s.backups;
  out["estimate"] = s.estimate;
  out["upper"] = s.upper;
  out["upper_proven"] = s.upper_proven;
  if (s.lower_proven) out["lower"] = s.lower;
  if (s.vectors) out["vectors"] = s.vectors->vectors.size();
  out["nodes"] = s.controller.fsc.num_nodes();
  out["simulator_steps"] = s.simulator_steps;
  out["network_evaluations"] = s.network_evaluations;
  for (const auto& [phase, seconds] : s.timings) out["phases"][phase] = seconds;
  out["score"] = Json::object();
  add_score(out["score"], score);
  if (!o.output.empty()) out["policy"] = o.output;
  return out;
}

int run(const Options& o) {
  std::unique_ptr<Solver> solver = make_solver(o.solver);
  OptionList options = solver->options();
  for (const auto& [name, value] : o.settings)
    if (!value.empty()) options.set(name, value);
  const Limits limits = read_limits(o);
  const Execution how_to_execute = parse_execution(o.execute);
  check_output(o.output);
  const std::unique_ptr<Pomdp> model = load_model(o.domain, o.common, true);
  require(*model, solver->needs(), o.solver);
  if (!o.output.empty()) check_policy_format(o.output, solver->needs().has(Capability::kTable));
  ThreadPool pool(static_cast<int>(o.common.threads));
  catch_interrupts();
  if (!o.common.quiet)
    fmt::print(stderr, "solving {} with {}, threads {}\n", model->facts().name, o.solver,
               pool.num_threads());
  const Solution solution =
      solver->solve(*model, limits, o.common.seed, pool, [&](const SolveProgress& p) {
        if (!o.common.quiet) print_line(p);
      });
  const PolicyFile policy = describe_policy(*model, solution.controller.fsc,
                                            solution.vectors ? *solution.vectors : AlphaVectors{});
  if (!o.output.empty()) save_policy_file(o.output, policy, *model);
  EvaluateOptions how;
  how.episodes = o.episodes;
  how.seed = o.common.seed + 1'000'000;  // not the episodes that chose the controller
  const Score score =
      solution.vectors
          ? evaluate(*model, *playable(policy, *model), how, pool)
          : evaluate(*model, *executed(*model, solution.controller, how_to_execute), how, pool);
  if (o.common.json)
    print_json(result_json(o, *model, solution, score));
  else
    print_result(o, *model, solution, score);
  return solution.status == "cancelled" ? kInterrupted : kOk;
}

}  // namespace

std::function<int()> declare_solve(Flags& flags) {
  auto o = std::make_shared<Options>();
  flags.positional("DOMAIN", o->domain, Need::kRequired,
                   "the problem: a name (penumbra domains lists them) or a .pomdp or .pomdpx file");
  flags.text("--solver", o->solver, Need::kOptional,
             "which one: penumbra solvers lists them (nvi)");
  flags.text("--time", o->time, Need::kOptional,
             "when to stop: 90, 90s, 10m, 2h, 0 for never (60s)");
  flags.count("--backups", o->backups, 0, INT64_MAX, "stop after this much work; repeatable");
  flags.count("--nodes", o->nodes, 0, INT32_MAX, "stop at this many nodes");
  flags.text("--gap", o->gap, Need::kOptional, "stop when the value is this close to the bound");
  flags.count("--memory", o->memory, 0, INT32_MAX, "stop at this many megabytes");
  flags.count("--episodes", o->episodes, 1, kMaxEpisodes, "of the final score (100000)");
  flags.text("--execute", o->execute, Need::kOptional,
             "how the final score executes the policy: controller (its node alone) or belief");
  flags.text("-o,--output", o->output, Need::kOptional, "where the policy goes");
  for (const SolverEntry& entry : solvers()) {
    const std::unique_ptr<Solver> solver = entry.make();
    const OptionList options = solver->options();
    for (const Option& option : options.options())
      if (const auto [at, is_new] = o->settings.try_emplace(option.name); is_new)
        flags.setting(option, at->second);
  }
  declare_common(flags, o->common);
  flags.examples(kExamples);
  return [o] { return run(*o); };
}

}  // namespace penumbra::cli

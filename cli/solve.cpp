// penumbra solve: computes a policy, shows how it goes, scores it and saves it.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/cpu_time.h"
#include "cli/duration.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/run_checkpoints.h"
#include "cli/score_json.h"
#include "cli/solve_options.h"
#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/base/memory.h"
#include "penumbra/evaluate/episode_blocks.h"
#include "penumbra/io/any_policy.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/model/fingerprint.h"
#include "penumbra/model/macro_pomdp.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/policy/likelihood_controller.h"
#include "penumbra/policy/macro_controller.h"
#include "penumbra/solvers/choose.h"
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

const char* upper_words(UpperKind kind) {
  return kind == UpperKind::kProven    ? "upper bound"
         : kind == UpperKind::kSampled ? "upper 95 %"
                                       : "upper est.";
}

const char* upper_meaning(UpperKind kind) {
  return kind == UpperKind::kProven    ? "a proven bound"
         : kind == UpperKind::kSampled ? "the end of a 95 % interval around a sampled bound"
                                       : "an estimate, no bound";
}

void print_line(const SolveProgress& p) {
  if (p.lower_proven) {
    fmt::print(stderr,
               "{:8.1f} s  {:9} backups  {:6} vectors  lower bound {:.5f}  upper bound {:.5f}  "
               "gap {:.5f}  {:5.0f} MB\n",
               p.seconds, p.backups, p.nodes, p.lower, p.upper.value, p.upper.value - p.lower,
               p.memory / 1e6);
    return;
  }
  fmt::print(
      stderr,
      "{:8.1f} s  {:9} backups  {:6} nodes  value {:8.3f} +- {:.3f}  claimed {:.3f}  {} {:.3f}  "
      "{:5.1f} M steps/s  {:5.0f} M networks/s  {:5.0f} MB\n",
      p.seconds, p.backups, p.nodes, p.simulated.mean, (p.simulated.high - p.simulated.low) / 2,
      p.estimate, upper_words(p.upper.kind), p.upper.value,
      p.simulator_steps / 1e6 / std::max(p.seconds, 1e-9),
      p.network_evaluations / 1e6 / std::max(p.seconds, 1e-9), p.memory / 1e6);
}

int num_nodes(const PolicyData& policy) {
  if (const auto* fnc = policy_as<Fnc>(policy)) return fnc->fsc.num_nodes();
  if (const auto* vectors = policy_as<VectorPolicy>(policy)) return vectors->controller.num_nodes();
  const auto* likelihood = policy_as<LikelihoodController>(policy);
  return likelihood ? likelihood->num_nodes() : 0;
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

// What is solved: `model` is without the adaptor for macro-actions.
void add_problem(Json& out, const SolveOptions& o, const Pomdp& model) {
  out["domain"] = model.facts().name;
  if (!o.macro_actions.empty()) out["macro_actions"] = o.macro_actions;
  out["solver"] = o.solver;
}

Json result_json(const SolveOptions& o, const Pomdp& model, const Solution& s, const Score& score) {
  Json out;
  add_problem(out, o, model);
  for (const auto& [name, value] : o.settings)
    if (!value.empty()) out["options"][name] = value;
  out["seed"] = o.common.seed;
  out["status"] = s.status;
  out["seconds"] = s.seconds;
  out["cpu_seconds"] = cpu_seconds();
  out["backups"] = s.backups;
  out["estimate"] = s.estimate;
  add_upper(out, s.upper);
  if (s.lower_proven) out["lower"] = s.lower;
  if (const auto* vectors = policy_as<VectorPolicy>(s.policy))
    out["vectors"] = vectors->vectors.vectors.size();
  out["nodes"] = num_nodes(s.policy);
  if (const auto* actor = policy_as<RecurrentActor>(s.policy)) {
    out["units"] = actor->net.shape().hidden;
    out["greedy"] = actor->greedy;
  }
  out["simulator_steps"] = s.work.simulator_steps;
  out["network_evaluations"] = s.work.network_evaluations;
  for (const auto& [phase, seconds] : s.work.timings()) out["phases"][phase] = seconds;
  out["score"] = Json::object();
  add_score(out["score"], score);
  if (!o.output.empty()) out["policy"] = o.output;
  if (!o.run.empty()) out["run"] = o.run;
  return out;
}

// One solve, from the beginning or from where a run stopped.
class SolveJob {
 public:
  SolveJob(SolveOptions& o, const Flags& flags) : o_(o), began_(Clock::now()) {
    limits_ = read_limits(o);
    execution_ = parse_execution(o.execute);
    interval_ = parse_duration("--checkpoint", o.checkpoint);
    if (!o.scoring.empty()) scoring_ = parse_duration("--scoring", o.scoring);
    check_output(o.output);
    catch_checkpoint_requests();
    const double before = static_cast<double>(resident_bytes());
    CommonOptions loading = o.common;
    if (o.memory > 0) loading.load_memory = std::min(loading.load_memory, o.memory);
    if (o.solver == "auto") {
      model_ = load_model(o.domain, loading, true);
      pick_solver(o);
    }
    solver_ = make_solver(o.solver);
    options_ = solver_->options();
    for (const auto& [name, value] : o.settings)
      if (!value.empty()) set_setting(options_, o.solver, name, value);
    config_ = effective_config(o, flags, options_);
    config_text_ = write_config("solve", config_, flags);
    // Everything else works on a finite set.
    const bool finite = solver_->makes() != PolicyForm::kLikelihood;
    if (!model_ || !finite) model_ = load_model(o.domain, loading, finite);
    if (!o.macro_actions.empty()) plan_over_macro_actions();
    check_memory(before);
    require_for(o.domain, *model_, solver_->needs(), o.solver);
    if (!o.output.empty()) check_policy_format(o.output, solver_->makes());
    if (solver_->makes() != PolicyForm::kController) {
      if (!o.macro_actions.empty())
        throw Error(fmt::format("--macro-actions are for solvers that make a controller; {} {}",
                                o.solver, what_it_makes()));
      if (execution_ == Execution::kBelief)
        throw Error(fmt::format(
            "--execute belief is for controllers of finite observations, which {} make; {} {}",
            fmt::join(controller_solvers(), ", "), o.solver, what_it_makes()));
    }
  }

  void start_run() {
    if (o_.run.empty()) return;
    run_.emplace(RunFolder::create(o_.run, config_text_));
    keep_checkpoints();
    Json problem;
    add_problem(problem, o_, played());
    run_->log("start", problem);
  }

  void resume_run() {
    run_.emplace(RunFolder::open(o_.run));
    keep_checkpoints();
    const bool found = checkpoints_->find(*model_, config_);
    replace_file(run_->file("config.toml"), config_text_);  // with the limits of now
    run_->log("resume", {{"from_checkpoint", found}});
    if (!found && !o_.common.quiet)
      fmt::print(stderr, "{} has no checkpoint yet: starting from the beginning\n", o_.run);
  }

  // What would be done, from a solve of one second.
  int dry_run() {
    ThreadPool pool(static_cast<int>(o_.common.threads));
    Limits probe;
    probe.seconds = 1;
    const double before = static_cast<double>(resident_bytes());
    double set_up = 0;  // memory at the first report
    const Solution s =
        solver_->solve(*model_, probe, o_.common.seed, pool, [&](const SolveProgress& p) {
          if (set_up == 0) set_up = p.memory;
        });
    const double after = static_cast<double>(resident_bytes());
    const double rate = static_cast<double>(s.backups) / std::max(s.seconds, 1e-3);
    double estimate = limits_.seconds > 0 ? limits_.seconds : HUGE_VAL;
    if (limits_.backups > 0 && rate > 0)
      estimate = std::min(estimate, static_cast<double>(limits_.backups) / rate);
    if (s.status == "converged") estimate = std::min(estimate, s.seconds);
    const double memory =
        std::min(after + std::max(0.0, after - set_up) * std::max(0.0, estimate / s.seconds - 1),
                 limits_.memory > 0 ? limits_.memory : HUGE_VAL);
    Json out;
    add_problem(out, o_, played());
    out["threads"] = pool.num_threads();
    for (const auto& [key, value] : config_) out["configuration"][key] = value;
    if (!o_.run.empty()) out["run"] = o_.run;
    out["backups_per_second"] = rate;
    out["estimated_seconds"] = estimate;  // null: no limit on time or work
    out["estimated_memory"] = memory;
    if (o_.common.json) {
      print_json(out);
      return kOk;
    }
    fmt::print("would solve {} with {}, threads {}\n", model_->facts().name, o_.solver,
               pool.num_threads());
    fmt::print("  time      {}\n", estimate < HUGE_VAL ? fmt::format("about {:.0f} s", estimate)
                                                       : "no limit on time or work");
    fmt::print("  memory    about {:.0f} MB ({:.0f} MB with the model alone)\n", memory / 1e6,
               before / 1e6);
    fmt::print("  speed     {:.0f} backups a second, in a solve of {:.1f} s\n{}", rate, s.seconds,
               config_text_);
    return kOk;
  }

  int solve() {
    ThreadPool pool(static_cast<int>(o_.common.threads));
    catch_interrupts();
    if (!o_.common.quiet)
      fmt::print(stderr, "solving {} with {}, threads {}\n", model_->facts().name, o_.solver,
                 pool.num_threads());
    leave_time_for_the_end();
    Solution solution =
        solver_->solve(*model_, limits_, o_.common.seed, pool, [&](const SolveProgress& p) {
          if (!o_.common.quiet) print_line(p);
          if (run_) run_->log("progress", progress_json(p));
        });
    if (macros_) {
      const Fsc& over_macros = policy_as<Fnc>(solution.policy)->fsc;
      solution.policy = std::make_shared<const Fnc>(Fnc{expand_macros(over_macros, *macros_)});
    }
    const Pomdp& model = played();
    const PolicyFile policy = describe_policy(model, solution.policy);
    if (run_) save_policy_file(run_->file("best.policy"), policy, model);
    if (!o_.output.empty()) save_policy_file(o_.output, policy, model);
    EvaluateOptions how;
    how.episodes = o_.episodes;
    how.seed = o_.common.seed + kScoreSeed;
    const std::unique_ptr<Policy> player = executed(model, policy.policy, execution_);
    const double until = solution.status == "cancelled" ? seconds() + 1.5
                         : scoring_ > 0                 ? seconds() + scoring_
                         : time_ > 0                    ? time_ + 0.5 * std::max(2.0, 0.02 * time_)
                                                        : HUGE_VAL;
    const bool was_interrupted = interrupted();  // then 1.5 s are left, and a second one exits
    how.cancelled = [&] { return seconds() >= until || (!was_interrupted && interrupted()); };
    EpisodeBlocks blocks;
    const Score score = evaluate(model, *player, how, pool, blocks);
    if (!was_interrupted && interrupted() && score.episodes() < how.episodes)
      solution.status = "cancelled";  // resumed, it is scored anew
    Json result = result_json(o_, model, solution, score);
    result["peak_memory"] = peak_resident_bytes();
    if (checkpoints_) result["checkpoints"] = checkpoints_->summary();
    if (run_) {
      replace_file(run_->file("episodes.json"),
                   blocks_json(model.facts().name, blocks, score.episodes()).dump() + "\n");
      run_->log("end", result);
    }
    if (o_.common.json)
      print_json(result);
    else
      print_result(o_, *model_, solution, score);
    return solution.status == "cancelled" ? kInterrupted : kOk;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  // What is scored and saved.
  const Pomdp& played() const {
    return macros_ ? static_cast<const MacroPomdp&>(*model_).inner() : *model_;
  }

  const char* what_it_makes() const {
    switch (solver_->makes()) {
      case PolicyForm::kController:
        return "makes a controller";
      case PolicyForm::kVectors:
        return "makes alpha-vectors, which act on the belief anyway";
      case PolicyForm::kRecurrent:
        return "trains a network";
      case PolicyForm::kLikelihood:
        return "makes no such controller of continuous observations";
    }
    return "";
  }

  void pick_solver(SolveOptions& o) {
    const bool controller = !o.macro_actions.empty() || execution_ == Execution::kBelief;
    if (!is_model_path(o.domain) && find_domain(Spec::parse(o.domain).name).finite_actions)
      require_for(o.domain, *model_, Capability::kFiniteActions, "every solver but ppo");
    const SolverChoice choice = choose_solver(*model_, controller);
    o.solver = choice.solver;
    if (!o.common.quiet)
      fmt::print(stderr, "{} is solved with {}: {} (--solver takes another)\n",
                 model_->facts().name, choice.solver, choice.why);
  }

  // The solver sees the adaptor; what is saved and scored is a controller of the model itself.
  void plan_over_macro_actions() {
    std::vector<MacroAction> macros = read_macro_actions(o_.macro_actions, o_.domain, *model_);
    auto adaptor = std::make_unique<MacroPomdp>(std::move(model_), std::move(macros));
    macros_ = &adaptor->macros();
    model_ = std::move(adaptor);
  }

  // Solvers of tables keep it once more, in the form that they work on; the policy plays on it too.
  void check_memory(double before) {
    if (limits_.memory <= 0) return;
    const double now = static_cast<double>(resident_bytes());
    const bool table = solver_->needs().has(Capability::kTable);
    const double needed = now + (table ? std::max(0.0, now - before) : 0.0);
    if (needed > 0.9 * limits_.memory)
      throw Error(fmt::format(
          "{} alone needs about {:.0f} MB with {}; --memory {} is too little, {:.0f} could do",
          model_->facts().name, needed / 1e6, o_.solver, o_.memory, std::ceil(needed / 0.8e6)));
    limits_.memory *= table ? 0.6 : 0.9;  // the rest is for the copy that is written and scored
  }

  // The limit is for the whole of it: loading, solving, writing and (without --scoring) scoring.
  void leave_time_for_the_end() {
    if ((time_ = limits_.seconds) <= 0) return;
    const double rest = std::min(5.0, 0.01 * time_);
    limits_.seconds = std::max(1e-3, time_ - seconds() - rest);
  }

  void keep_checkpoints() {
    CheckpointHeader header;
    header.solver = o_.solver;
    header.domain = model_->facts().name;
    header.fingerprint = fingerprint(*model_);
    header.configuration = config_text_;
    checkpoints_.emplace(*run_, std::move(header), interval_, o_.common.quiet);
    limits_.checkpoints = &*checkpoints_;
  }

  const SolveOptions& o_;
  Clock::time_point began_;
  double time_ = 0;     // the limit
  double scoring_ = 0;  // 0: within the limit
  std::unique_ptr<Solver> solver_;
  OptionList options_;
  Limits limits_;
  Execution execution_ = Execution::kController;
  double interval_ = 0;
  ConfigTable config_;
  std::string config_text_;
  std::unique_ptr<Pomdp> model_;
  const std::vector<MacroAction>* macros_ = nullptr;  // of model_, when planning over them
  std::optional<RunFolder> run_;
  std::optional<RunCheckpoints> checkpoints_;
};

}  // namespace

int run_solve(SolveOptions& o, const Flags& flags) {
  SolveJob job(o, flags);
  if (o.dry_run) return job.dry_run();
  job.start_run();
  return job.solve();
}

int resume_solve(SolveOptions& o, const Flags& flags) {
  SolveJob job(o, flags);
  job.resume_run();
  return job.solve();
}

std::function<int()> declare_solve(Flags& flags) {
  auto o = std::make_shared<SolveOptions>();
  declare_solve_options(flags, *o);
  flags.examples(kSolveExamples);
  flags.before_parsing([o, &flags](const std::vector<std::string>& arguments) {
    show_solver_options(arguments, *o, flags);
  });
  return [o, &flags] { return run_solve(*o, flags); };
}

}  // namespace penumbra::cli

#include "penumbra/runs/solve_job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/base/memory.h"
#include "penumbra/evaluate/episode_blocks.h"
#include "penumbra/io/any_policy.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/model/classified.h"
#include "penumbra/model/fingerprint.h"
#include "penumbra/model/macro_pomdp.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/policy/likelihood_controller.h"
#include "penumbra/policy/macro_controller.h"
#include "penumbra/runs/check_ranks.h"
#include "penumbra/runs/cpu_time.h"
#include "penumbra/runs/duration.h"
#include "penumbra/runs/plugin.h"
#include "penumbra/runs/score_json.h"
#include "penumbra/solvers/choose.h"
#include "penumbra/solvers/registry.h"

namespace penumbra {
namespace {

// An output that cannot be written is told before the work, not after it.
void check_output(const std::string& path) {
  if (path.empty()) return;
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    throw Error(fmt::format("cannot write {}: there is no folder {}", path, folder.string()));
  if (std::filesystem::is_directory(path, error))
    throw Error(path + " is a folder; name a file for the policy");
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    return;  // a device or a pipe
  std::string probe = (folder / ".penumbra-XXXXXX").string();
  const int file = ::mkstemp(probe.data());
  if (file < 0)
    throw Error(fmt::format("cannot write into {}: {}", folder.string(), std::strerror(errno)));
  ::close(file);
  ::unlink(probe.c_str());
}

}  // namespace

int num_nodes(const PolicyData& policy) {
  if (const auto* fnc = policy_as<Fnc>(policy)) return fnc->fsc.num_nodes();
  if (const auto* vectors = policy_as<VectorPolicy>(policy)) return vectors->controller.num_nodes();
  const auto* likelihood = policy_as<LikelihoodController>(policy);
  return likelihood ? likelihood->num_nodes() : 0;
}

SolveJob::SolveJob(SolveOptions& o, const OptionRecord& options, ModelSource source)
    : o_(o), began_(Clock::now()) {
  limits_ = read_limits(o);
  execution_ = parse_execution(o.execute);
  interval_ = parse_duration("--checkpoint", o.checkpoint);
  if (!o.scoring.empty()) scoring_ = parse_duration("--scoring", o.scoring);
  if (o.common.leads()) check_output(o.output);
  const double before = static_cast<double>(resident_bytes());
  CommonOptions loading = o.common;
  if (o.memory > 0) loading.load_memory = std::min(loading.load_memory, o.memory);
  if (!source)
    source = [&o, loading](bool finite) { return load_model(o.domain, loading, finite); };
  if (o.solver == "auto") {
    model_ = source(true);
    pick_solver(o);
  }
  solver_ = make_solver(o.solver);
  options_ = solver_->options();
  for (const auto& [name, value] : o.settings)
    if (!value.empty()) set_setting(options_, o.solver, name, value);
  config_ = effective_config(o, options, options_);
  config_text_ = write_config("solve", config_, options);
  // Everything else works on a finite set.
  const bool finite = solver_->makes() != PolicyForm::kLikelihood;
  if (!model_ || !finite) model_ = source(finite);
  if (!o.macro_actions.empty()) plan_over_macro_actions();
  check_memory(before);
  require_for(o.domain, *model_, solver_->needs(), o.solver);
  if (!o.output.empty())
    check_policy_format(o.output, solver_->makes(), !model_->has(Capability::kFiniteActions));
  if (execution_ == Execution::kBelief)
    require_for(o.domain, *model_, Capability::kFiniteActions, "--execute belief");
  check_controller_options();
  // Of a model of one's own the limit begins here: a compiler takes seconds, and the second time
  // none.
  if (is_plugin_path(o.domain)) began_ = Clock::now();
}

void SolveJob::check_controller_options() const {
  if (solver_->makes() == PolicyForm::kController) return;
  if (!o_.macro_actions.empty())
    throw Error(fmt::format("--macro-actions are for solvers that make a controller; {} {}",
                            o_.solver, what_it_makes()));
  if (execution_ == Execution::kBelief)
    throw Error(fmt::format(
        "--execute belief is for controllers of finite observations, which {} make; {} {}",
        fmt::join(controller_solvers(), ", "), o_.solver, what_it_makes()));
}

void SolveJob::start_run() {
  if (o_.run.empty() || !o_.common.leads()) return;
  run_.emplace(RunFolder::create(o_.run, config_text_));
  keep_checkpoints();
  run_->log("start", problem_json());
}

void SolveJob::resume_run() {
  if (!o_.common.leads()) return;
  run_.emplace(RunFolder::open(o_.run));
  keep_checkpoints();
  const bool found = checkpoints_->find(*model_, config_);
  replace_file(run_->file("config.toml"), config_text_);  // with the limits of now
  run_->log("resume", {{"from_checkpoint", found}});
  if (!found) o_.common.note(o_.run + " has no checkpoint yet: starting from the beginning");
}

SolveForecast SolveJob::forecast() {
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
  SolveForecast out{pool.num_threads(), rate, s.seconds, estimate, memory, before, problem_json()};
  out.fields["threads"] = out.threads;
  for (const auto& [key, value] : config_) out.fields["configuration"][key] = value;
  if (!o_.run.empty()) out.fields["run"] = o_.run;
  out.fields["backups_per_second"] = rate;
  out.fields["estimated_seconds"] = estimate;  // null: no limit on time or work
  out.fields["estimated_memory"] = memory;
  return out;
}

SolveResult SolveJob::solve(const Solver::Report& report, const std::function<void()>& scoring) {
  ThreadPool pool(static_cast<int>(o_.common.threads));
  o_.common.join(pool);
  const int ranks = pool.team().size();
  o_.common.note(fmt::format("solving {} with {}, threads {}{}", model_->facts().name, o_.solver,
                             pool.num_threads(),
                             ranks > 1 ? fmt::format(" on each of {} ranks", ranks) : ""));
  check_ranks(pool.team(), *model_, decisive_options(config_));
  leave_time_for_the_end();
  Solution solution =
      solver_->solve(*model_, limits_, o_.common.seed, pool, [&](const SolveProgress& p) {
        if (run_) run_->log("progress", progress_json(p));
        if (report) report(p);
      });
  // What a run that was resumed had used already.
  const double before = std::max(0.0, solution.seconds - seconds());
  if (macros_) {
    const Fsc& over_macros = policy_as<Fnc>(solution.policy)->fsc;
    solution.policy = std::make_shared<const Fnc>(Fnc{expand_macros(over_macros, *macros_)});
  }
  const Pomdp& model = played();
  PolicyFile policy = describe_policy(model, solution.policy);
  std::vector<std::string> files;
  if (run_) files.push_back(run_->file("best.policy"));
  if (!o_.output.empty() && o_.common.leads()) files.push_back(o_.output);
  save_policy_files(files, policy, model);
  if (run_) run_->log("scoring", {{"status", solution.status}, {"seconds", solution.seconds}});
  if (scoring) scoring();
  EvaluateOptions how;
  how.episodes = o_.episodes;
  how.seed = o_.common.seed + kScoreSeed;
  const std::unique_ptr<Policy> player =
      executed(model, policy.policy, execution_, room_for_beliefs());
  const Classified* groups =
      execution_ == Execution::kBelief ? groups_of_likelihood(model) : nullptr;
  const double until = solution.status == "cancelled" ? seconds() + o_.scoring_when_cancelled
                       : scoring_ > 0                 ? seconds() + scoring_
                       : time_ > 0                    ? seconds() + left_for_scoring(before)
                                                      : HUGE_VAL;
  const bool was_interrupted = interrupted();  // then 1.5 s are left, and a second one exits
  how.cancelled = [&] { return seconds() >= until || (!was_interrupted && interrupted()); };
  EpisodeBlocks blocks;
  const Score score = evaluate(groups ? groups->inner() : model, *player, how, pool, blocks);
  if (!was_interrupted && interrupted() && score.episodes() < how.episodes)
    solution.status = "cancelled";  // resumed, it is scored anew
  Json fields = result_json(solution, score);
  fields["peak_memory"] = peak_resident_bytes();
  if (checkpoints_) fields["checkpoints"] = checkpoints_->summary();
  if (run_) {
    replace_file(run_->file("episodes.json"),
                 blocks_json(model.facts().name, blocks, score.episodes()).dump() + "\n");
    run_->log("end", fields);
    if (!run_->log_problem().empty()) o_.common.warning(run_->log_problem());
  }
  return {std::move(solution), std::move(policy), score, std::move(fields)};
}

// What is scored and saved.
const Pomdp& SolveJob::played() const {
  return macros_ ? static_cast<const MacroPomdp&>(*model_).inner() : *model_;
}

const char* SolveJob::what_it_makes() const {
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

void SolveJob::pick_solver(SolveOptions& o) {
  const bool controller = !o.macro_actions.empty() || execution_ == Execution::kBelief;
  const SolverChoice choice = choose_solver(*model_, controller);
  o.solver = choice.solver;
  o.common.note(fmt::format("{} is solved with {}: {} (--solver takes another)",
                            model_->facts().name, choice.solver, choice.why));
}

// The solver sees the adaptor; what is saved and scored is a controller of the model itself.
void SolveJob::plan_over_macro_actions() {
  std::vector<MacroAction> macros = read_macro_actions(o_.macro_actions, o_.domain, *model_);
  auto adaptor = std::make_unique<MacroPomdp>(std::move(model_), std::move(macros));
  macros_ = &adaptor->macros();
  model_ = std::move(adaptor);
}

// Solvers of tables keep it once more, in the form that they work on; the policy plays on it too.
void SolveJob::check_memory(double before) {
  if (limits_.memory <= 0) return;
  const double now = static_cast<double>(resident_bytes());
  const bool table = solver_->needs().has(Capability::kTable);
  const double needed = now + (table ? std::max(0.0, now - before) : 0.0);
  if (needed > 0.9 * limits_.memory)
    throw Error(fmt::format(
        "{} alone needs about {:.0f} MB with {}; --memory {} is too little, {:.0f} could do",
        model_->facts().name, needed / 1e6, o_.solver, o_.memory, std::ceil(needed / 0.8e6)));
  limits_.memory *= table ? 0.5 : 0.85;  // the rest is for the copies that are written and scored
}

// While the policy is scored: half of what is left, as beliefs take more than their own bytes.
size_t SolveJob::room_for_beliefs() const {
  if (o_.memory == 0) return kMostRemembered;
  const double left = static_cast<double>(o_.memory) * 1e6 - static_cast<double>(resident_bytes());
  return static_cast<size_t>(std::clamp(0.5 * left, 0.0, static_cast<double>(kMostRemembered)));
}

// The limit is for the whole of it: loading, solving, writing and (without --scoring) scoring.
void SolveJob::leave_time_for_the_end() {
  if ((time_ = limits_.seconds) <= 0) return;
  limits_.seconds = std::max(1e-3, time_ - seconds() - kept_for_the_end());
}

double SolveJob::kept_for_the_end() const {
  return std::clamp(0.01 * time_, std::min(0.6, 0.08 * time_), 5.0);
}

// A run that is resumed at its limit, to be scored anew, has the end once more.
double SolveJob::left_for_scoring(double before) const {
  const double left = time_ + 0.25 * std::max(0.5, 0.02 * time_) - before - seconds();
  return before > 0 ? std::max(left, kept_for_the_end()) : left;
}

void SolveJob::keep_checkpoints() {
  CheckpointHeader header;
  header.solver = o_.solver;
  header.domain = model_->facts().name;
  header.fingerprint = fingerprint(*model_);
  header.configuration = config_text_;
  checkpoints_.emplace(*run_, std::move(header), interval_, o_.common);
  limits_.checkpoints = &*checkpoints_;
}

Json SolveJob::problem_json() const {
  Json out;
  out["domain"] = played().facts().name;
  if (!o_.macro_actions.empty()) out["macro_actions"] = o_.macro_actions;
  out["solver"] = o_.solver;
  return out;
}

Json SolveJob::result_json(const Solution& s, const Score& score) const {
  Json out = problem_json();
  for (const auto& [name, value] : o_.settings)
    if (!value.empty()) out["options"][name] = value;
  out["seed"] = o_.common.seed;
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
  if (!o_.output.empty()) out["policy"] = o_.output;
  if (!o_.run.empty()) out["run"] = o_.run;
  return out;
}

}  // namespace penumbra

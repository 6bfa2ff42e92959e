// penumbra evaluate: how good a policy is, by simulation; with --against, which of two is better.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "penumbra/base/error.h"
#include "penumbra/base/memory.h"
#include "penumbra/evaluate/episode_blocks.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/runs/check_ranks.h"
#include "penumbra/runs/config.h"
#include "penumbra/runs/cpu_time.h"
#include "penumbra/runs/duration.h"
#include "penumbra/runs/load.h"
#include "penumbra/runs/run_folder.h"
#include "penumbra/runs/score_json.h"

namespace penumbra::cli {
namespace {

constexpr const char* kEvaluateExamples =
    "Examples:\n"
    "  penumbra evaluate tiger --policy 'blind(action=listen)'\n"
    "  penumbra evaluate 'rock-sample(n=20,k=20)' --policy 'blind(action=east)' --episodes 1e6\n"
    "  penumbra evaluate light-dark --policy random --seed 7 --json > score.json\n"
    "  penumbra evaluate tiger --policy 'blind(action=listen)' --against random\n"
    "  penumbra evaluate 'rock-sample(n=7,k=8)' --policy 'despot(time=10ms)' --episodes 4\n"
    "\n"
    "Policies: a file of `penumbra solve`; blind(action=NAME), random; expert on rock-sample,\n"
    "light-dark, rover, inspection, laser-tag, sub-hunt, pocman, vdp-tag and lunar-lander;\n"
    "planners that plan while they act: pomcp, pomcpow, pft-dpw, sparse-pft, despot, adaops,\n"
    "also on top of a solved policy:\n"
    "'despot(time=1s,lower=rs7.policy)'. `penumbra planners` lists their parameters,\n"
    "docs/online.md compares them. docs/simulation-standard.md defines an episode. Ctrl-C ends\n"
    "with the score so far (exit code 130).\n";

struct EvaluateArguments {
  std::string domain, policy, against, execute = "controller", time, run;
  uint64_t episodes = 10'000, max_steps = 0;
  CommonOptions common;
};

std::string words(const Estimate& e) {
  return fmt::format("{:.4f}, standard error {:.4f}, 95 % interval {:.4f} to {:.4f}", e.mean,
                     e.standard_error, e.low, e.high);
}

void print_score(const Score& s) {
  const double length = static_cast<double>(s.steps) / static_cast<double>(s.episodes());
  fmt::print("  value     {}\n", words(s));
  fmt::print("  total     {:.4f}, standard error {:.4f}: the rewards without discount\n",
             s.undiscounted.mean, s.undiscounted.standard_error);
  fmt::print("  episodes  {}, of {:.1f} steps on average\n", s.episodes(), length);
  fmt::print("  cut       {} of them after {} steps: the value is off by at most {:.2g}\n",
             s.truncated, s.max_steps, s.truncation_bound);
}

void print_speed(uint64_t steps, double seconds, int threads) {
  const double rate = seconds > 0 ? static_cast<double>(steps) / seconds : 0;
  fmt::print("  speed     {} steps per second: {} in {:.3f} s, threads {}\n",
             rate >= 1e5 ? fmt::format("{:.1f} million", rate / 1e6) : fmt::format("{:.4g}", rate),
             steps, seconds, threads);
}

// The part of a result that says what was run.
Json header(const EvaluateArguments& o, const Job& job) {
  Json out;
  out["domain"] = job.model->facts().name;
  out["policy"] = job.policies[0]->describe();
  if (job.policies.size() > 1) out["against"] = job.policies[1]->describe();
  out["seed"] = o.common.seed;
  return out;
}

// What is left of one evaluation for the report and for a bench, in the records of a solve.
class ScoreFolder {
 public:
  ScoreFolder(const EvaluateArguments& o, const Flags& flags, const Job& job) : o_(o) {
    ConfigTable config;
    for (const Declared& option : flags.declared())
      if (option.key != "run" && option.key != "json" && option.key != "quiet")
        if (const std::string value = option.get();
            !value.empty() && !(option.key == "max-steps" && value == "0"))
          config.emplace_back(option.key, value);
    run_.emplace(RunFolder::create(o.run, write_config("evaluate", config, flags)));
    run_->log("start", {{"domain", job.model->facts().name},
                        {"solver", job.policies[0]->describe()},
                        {"policy", o.policy}});
  }
  void end(const Job& job, const Score& score, const EpisodeBlocks& blocks) {
    replace_file(run_->file("episodes.json"),
                 blocks_json(job.model->facts().name, blocks, score.episodes()).dump() + "\n");
    Json out{
        {"domain", job.model->facts().name},
        {"solver", job.policies[0]->describe()},
        {"policy", o_.policy},
        {"seed", o_.common.seed},
        {"status", score.episodes() == o_.episodes ? "episodes"
                   : interrupted()                 ? "cancelled"
                                                   : "time"},
        {"cpu_seconds", cpu_seconds()},
        {"seconds_per_step", score.played_seconds / double(std::max<uint64_t>(1, score.steps))},
        {"peak_memory", peak_resident_bytes()},
        {"score", Json::object()}};
    add_score(out["score"], score);
    run_->log("end", out);
  }

 private:
  const EvaluateArguments& o_;
  std::optional<RunFolder> run_;
};

// Each returns how many episodes were done.
uint64_t evaluate_one(const EvaluateArguments& o, const Job& job, const EvaluateOptions& how,
                      ThreadPool& pool, Progress& progress, ScoreFolder* folder) {
  EpisodeBlocks blocks;
  const Score score = evaluate(*job.model, *job.policies[0], how, pool, blocks);
  progress.finish();
  if (folder) folder->end(job, score, blocks);
  if (o.common.json) {
    Json out = header(o, job);
    add_score(out, score);
    out["interrupted"] = interrupted() && score.episodes() < o.episodes;
    print_json(out);
    return score.episodes();
  }
  fmt::print("{}, policy {}, seed {}\n", job.model->facts().name, job.policies[0]->describe(),
             o.common.seed);
  print_score(score);
  print_speed(score.steps, score.seconds, pool.num_threads());
  return score.episodes();
}

uint64_t evaluate_two(const EvaluateArguments& o, const Job& job, const EvaluateOptions& how,
                      ThreadPool& pool, Progress& progress) {
  const Comparison c = compare(*job.model, *job.policies[0], *job.policies[1], how, pool);
  progress.finish();
  if (o.common.json) {
    Json out = header(o, job);
    add_score(out, c.a);
    out["against_score"] = Json::object();
    add_score(out["against_score"], c.b);
    out["difference"] = Json::object();
    add_estimate(out["difference"], c.difference);
    out["interrupted"] = interrupted() && c.a.episodes() < o.episodes;
    print_json(out);
    return c.a.episodes();
  }
  fmt::print("{}, seed {}\n", job.model->facts().name, o.common.seed);
  const Score* scores[] = {&c.a, &c.b};
  for (int p = 0; p < 2; ++p) {
    fmt::print("{}\n", job.policies[p]->describe());
    print_score(*scores[p]);
  }
  const Estimate& d = c.difference;
  fmt::print("difference, on the same episodes\n  value     {}\n", words(d));
  fmt::print("  verdict   {}\n", d.low > 0    ? "the first is better"
                                 : d.high < 0 ? "the second is better"
                                              : "undecided: the interval holds 0");
  print_speed(c.a.steps + c.b.steps, c.a.seconds, pool.num_threads());
  return c.a.episodes();
}

int run(const EvaluateArguments& o, const Flags& flags) {
  std::vector<std::string> policies = {o.policy};
  if (!o.against.empty()) policies.push_back(o.against);
  if (!o.against.empty() && !o.run.empty())
    throw Error("--run keeps the score of one policy: leave out --against");
  const double limit = o.time.empty() ? 0 : parse_duration("--time", o.time);
  const Job job = load_job(o.domain, policies, o.common, parse_execution(o.execute));
  std::optional<ScoreFolder> folder;
  if (!o.run.empty() && o.common.leads()) folder.emplace(o, flags, job);
  ThreadPool pool(static_cast<int>(o.common.threads));
  o.common.join(pool);
  ConfigTable what{{"episodes", std::to_string(o.episodes)},
                   {"seed", std::to_string(o.common.seed)}};
  for (const auto& policy : job.policies) what.emplace_back("policy", policy->describe());
  check_ranks(pool.team(), *job.model, what);
  Progress progress(o.common.quiet, "evaluating " + job.model->facts().name, "episodes",
                    o.episodes);
  EvaluateOptions how;
  how.episodes = o.episodes;
  how.seed = o.common.seed;
  how.max_steps = static_cast<int>(o.max_steps);
  how.progress = [&](uint64_t done) { progress.update(done); };
  const auto began = std::chrono::steady_clock::now();
  how.cancelled = [&] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
    return interrupted() || (limit > 0 && spent.count() >= limit);
  };
  catch_interrupts();
  const uint64_t done = job.policies.size() == 1
                            ? evaluate_one(o, job, how, pool, progress, folder ? &*folder : nullptr)
                            : evaluate_two(o, job, how, pool, progress);
  if (done == o.episodes || !interrupted()) return kOk;
  fmt::print(stderr, "penumbra: interrupted; this is the score so far\n");
  return kInterrupted;
}

}  // namespace

std::function<int()> declare_evaluate(Flags& flags) {
  auto o = std::make_shared<EvaluateArguments>();
  flags.positional("DOMAIN", o->domain, Need::kRequired,
                   "the problem: a name (penumbra domains lists them) or a .pomdp or .pomdpx file");
  flags.text("--policy", o->policy, Need::kRequired, "what the agent does");
  flags.text("--execute", o->execute, Need::kOptional,
             "controller (its node alone), or belief: a particle filter may choose another node");
  flags.text("--against", o->against, Need::kOptional,
             "a second policy: report the paired difference");
  flags.count("--episodes", o->episodes, 1, kMaxEpisodes, "how many to run (10000)");
  flags.count("--max-steps", o->max_steps, 1, 1'000'000'000,
              "cut episodes here (where the rest is worth less than 0.001)");
  flags.text("--time", o->time, Need::kOptional,
             "end after this long with the episodes done so far, such as 10m (never)");
  flags.text("--run", o->run, Need::kOptional,
             "a new folder for the score: penumbra report plays and draws it");
  declare_common(flags, o->common);
  flags.examples(kEvaluateExamples);
  return [o, &flags] { return run(*o, flags); };
}

}  // namespace penumbra::cli

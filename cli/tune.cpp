// penumbra tune: searches for good options of a solver. Trials are made in batches: each batch is
// proposed from all those before it, so that the search is the same however its trials are spread
// over threads, and when it was stopped in between.
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cmath>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/command.h"
#include "cli/duration.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/read_text.h"
#include "cli/run_folder.h"
#include "cli/search_space.h"
#include "cli/solve_options.h"
#include "cli/trials.h"
#include "penumbra/base/error.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/policy/playable.h"
#include "penumbra/policy/recurrent.h"
#include "penumbra/solvers/registry.h"

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

struct TuneArguments {
  std::string space, domain, solver = "nvi", run, method = "parzen", time, early = "median";
  uint64_t trials = 50, backups = 0, batch = 4, episodes = 10'000;
  CommonOptions common;
};

class Search {
 public:
  explicit Search(const TuneArguments& o)
      : o_(o),
        text_(read_text(o.space, "the search space")),
        space_(SearchSpace::parse(text_, o.space)) {
    space_.fit_to(o.solver, make_solver(o.solver)->options());
    if (o.method != "parzen" && o.method != "random")
      throw Error("--method must be parzen or random, not '" + o.method + "'");
    if (o.early != "median" && o.early != "never")
      throw Error("--early must be median or never, not '" + o.early + "'");
    seconds_ = o.time.empty() ? (o.backups > 0 ? 0 : 60) : parse_duration("--time", o.time);
    if (seconds_ == 0 && o.backups == 0) throw Error("a trial needs an end: --time or --backups");
    load_models();
    open_folder();
  }

  int run() {
    const int threads =
        o_.common.threads > 0 ? static_cast<int>(o_.common.threads) : ThreadPool(0).num_threads();
    const int wanted = static_cast<int>(o_.trials), batch = static_cast<int>(o_.batch);
    for (int first = 0; first < wanted && !interrupted(); first += batch)
      run_batch(first, std::min(wanted, first + batch), threads);
    return report();
  }

 private:
  std::unique_ptr<Solver> solver_with(const ConfigTable& settings) const {
    std::unique_ptr<Solver> solver = make_solver(o_.solver);
    OptionList options = solver->options();
    for (const auto& [name, value] : space_.fixed) options.set(name, value);
    for (const auto& [name, value] : settings) options.set(name, value);
    return solver;
  }

  // Whether it plans on continuous observations as they are.
  static bool continuous(const Solver& solver) { return solver.makes() == PolicyForm::kLikelihood; }

  // What a solver needs depends on its options: those that are fixed, and each choice of a range.
  void load_models() {
    auto load_for = [&](const Solver& solver) {
      std::unique_ptr<Pomdp>& model = models_[continuous(solver)];
      if (!model) model = load_model(o_.domain, o_.common, !continuous(solver));
      require_for(o_.domain, *model, solver.needs(), o_.solver);
    };
    const std::unique_ptr<Solver> plain = solver_with({});
    load_for(*plain);
    problem_ = model_for(*plain).facts().name;
    for (const Range& range : space_.ranges)
      for (const std::string& choice : range.choices)
        load_for(*solver_with({{range.name, choice}}));
  }

  const Pomdp& model_for(const Solver& solver) const { return *models_[continuous(solver)]; }

  // The folder belongs to one search: another space or budget is refused.
  void open_folder() {
    const ConfigTable table{{"space", text_},
                            {"domain", problem_},
                            {"solver", o_.solver},
                            {"method", o_.method},
                            {"early", o_.early},
                            {"time", fmt::format("{}s", seconds_)},
                            {"backups", std::to_string(o_.backups)},
                            {"batch", std::to_string(o_.batch)},
                            {"episodes", std::to_string(o_.episodes)},
                            {"seed", std::to_string(o_.common.seed)}};
    const std::string config = write_config("tune", table, Flags());
    std::ifstream before(o_.run + "/config.toml");
    if (before) {
      folder_.emplace(RunFolder::open(o_.run));
      if (folder_->config_text() != config)
        throw Error(fmt::format(
            "{} holds another search (config.toml differs); name another folder, or give the same "
            "space, domain, solver and budget",
            o_.run));
    } else {
      folder_.emplace(RunFolder::create(o_.run, config));
    }
    trials_.emplace(folder_->file("trials"));
  }

  void run_batch(int first, int last, int threads) {
    std::vector<const Trial*> before;
    std::vector<Tried> tried;
    for (const Trial& t : trials_->all())
      if (t.number < first) {
        before.push_back(&t);
        tried.push_back({t.point, t.score});
      }
    const std::vector<Trial> known = copies(before);  // files of this batch move the originals
    std::vector<int> open;
    for (int n = first; n < last; ++n)
      if (!trials_->find(n)) open.push_back(n);
    std::atomic<size_t> next{0};
    std::exception_ptr failed;
    auto work = [&] {
      for (size_t i; (i = next++) < open.size() && !interrupted();) try {
          std::optional<Trial> trial = run_trial(open[i], tried, known);
          if (trial) finish(std::move(*trial));
        } catch (...) {
          const std::lock_guard lock(mutex_);
          if (!failed) failed = std::current_exception();
        }
    };
    std::vector<std::thread> workers;
    for (int i = 1; i < std::min<int>(threads, static_cast<int>(open.size())); ++i)
      workers.emplace_back(work);
    work();
    for (std::thread& worker : workers) worker.join();
    if (failed) std::rethrow_exception(failed);
  }

  static std::vector<Trial> copies(const std::vector<const Trial*>& from) {
    std::vector<Trial> out;
    for (const Trial* t : from) out.push_back(*t);
    return out;
  }

  // Nothing if it was interrupted.
  std::optional<Trial> run_trial(int number, const std::vector<Tried>& tried,
                                 const std::vector<Trial>& known) {
    Rng rng(RngKey::from_seed(o_.common.seed).fold("tune"), number);
    Trial trial;
    trial.number = number;
    trial.point = o_.method == "random" ? propose_random(space_.ranges, rng)
                                        : propose_parzen(space_.ranges, tried, rng);
    for (size_t i = 0; i < space_.ranges.size(); ++i)
      trial.settings.emplace_back(space_.ranges[i].name, space_.ranges[i].text(trial.point[i]));
    const std::unique_ptr<Solver> solver = solver_with(trial.settings);
    const Pomdp& model = model_for(*solver);

    std::vector<const Trial*> others;
    for (const Trial& t : known) others.push_back(&t);
    std::atomic<bool> bad{false};
    Limits limits;
    limits.seconds = seconds_;
    limits.backups = o_.backups;
    limits.cancelled = [&] { return bad || interrupted(); };
    ThreadPool pool(1);
    Solution solution;
    try {
      solution = solver->solve(model, limits, o_.common.seed, pool, [&](const SolveProgress& p) {
        const double value = p.lower_proven ? p.lower : p.simulated.mean;
        const double share = o_.backups > 0
                                 ? static_cast<double>(p.backups) / static_cast<double>(o_.backups)
                                 : p.seconds / seconds_;
        const double so_far =
            trial.curve.empty() ? value : std::max(value, trial.curve.back().second);
        trial.curve.emplace_back(share, so_far);
        if (o_.early == "median" && share < 1 && is_below_median(others, share, so_far)) bad = true;
      });
    } catch (const Error& error) {
      throw Error(fmt::format("trial {}: {}", number, error.what()));
    }
    if (interrupted()) return std::nullopt;
    EvaluateOptions how;
    how.episodes = o_.episodes;
    how.seed = o_.common.seed + kScoreSeed;
    const Score score = evaluate(model, *playable(solution.policy, model), how, pool);
    trial.status = bad ? "stopped early" : solution.status;
    trial.score = score.mean;
    trial.standard_error = score.standard_error;
    trial.episodes = score.episodes();
    trial.backups = solution.backups;
    trial.seconds = solution.seconds;
    return trial;
  }

  void finish(Trial trial) {
    const std::lock_guard lock(mutex_);
    if (!o_.common.quiet) {
      std::string settings;
      for (const auto& [name, value] : trial.settings)
        settings += fmt::format(" {}={}", name, value);
      fmt::print(stderr, "trial {:3}  {:9.4f} +- {:.4f}  {:7.1f} s  {}{}\n", trial.number,
                 trial.score, 1.96 * trial.standard_error, trial.seconds, trial.status, settings);
    }
    folder_->log("trial", {{"number", trial.number}, {"score", trial.score}});
    trials_->add(std::move(trial));
  }

  // The best configuration as a file, and what mattered.
  int report() {
    const Trial* best = trials_->best();
    if (!best && interrupted()) {
      fmt::print(stderr, "interrupted before a trial had ended; the same command goes on\n");
      return kInterrupted;
    }
    if (!best) throw Error("every trial was ended early; --early never lets them go on");
    Flags flags;
    SolveOptions solve;
    declare_solve_options(flags, solve);
    ConfigTable table{{"domain", o_.domain}, {"solver", o_.solver}};
    if (o_.backups > 0) table.emplace_back("backups", std::to_string(o_.backups));
    if (seconds_ > 0) table.emplace_back("time", fmt::format("{}s", seconds_));
    table.emplace_back("seed", std::to_string(o_.common.seed));
    for (const auto& entry : space_.fixed) table.push_back(entry);
    for (const auto& entry : best->settings) table.push_back(entry);
    replace_file(folder_->file("best.toml"), write_config("solve", table, flags));
    std::vector<Tried> tried;
    int stopped = 0;
    for (const Trial& t : trials_->all()) {
      tried.push_back({t.point, t.score});
      stopped += t.stopped_early();
    }
    const std::vector<double> shares = importance(space_.ranges, tried);
    if (o_.common.json)
      print_as_json(*best, shares, stopped);
    else
      print_as_text(*best, shares, stopped);
    return trials_->all().size() >= o_.trials ? kOk : kInterrupted;
  }

  void print_as_json(const Trial& best, const std::vector<double>& shares, int stopped) const {
    Json out{{"domain", problem_},
             {"solver", o_.solver},
             {"trials", trials_->all().size()},
             {"stopped_early", stopped},
             {"best",
              {{"trial", best.number},
               {"score", best.score},
               {"standard_error", best.standard_error},
               {"episodes", best.episodes},
               {"settings", Json::object()}}},
             {"importance", Json::object()},
             {"config", folder_->file("best.toml")}};
    for (const auto& [name, value] : best.settings) out["best"]["settings"][name] = value;
    for (size_t i = 0; i < shares.size(); ++i) out["importance"][space_.ranges[i].name] = shares[i];
    print_json(out);
  }

  void print_as_text(const Trial& best, const std::vector<double>& shares, int stopped) const {
    fmt::print("{}, solver {}: {} trials, {} of them stopped early\n", problem_, o_.solver,
               trials_->all().size(), stopped);
    fmt::print("  best      trial {}: {:.4f}, standard error {:.4f}, {} episodes\n", best.number,
               best.score, best.standard_error, best.episodes);
    fmt::print("  config    {}\n", folder_->file("best.toml"));
    fmt::print("  option             best          explains alone (of the variance of scores)\n");
    for (size_t i = 0; i < shares.size(); ++i)
      fmt::print("  {:<18} {:<13} {:.0f} %\n", best.settings[i].first, best.settings[i].second,
                 100 * shares[i]);
    fmt::print(
        "The best of many trials looks better than it is: score it again with another seed.\n");
  }

  const TuneArguments& o_;
  std::string text_;
  SearchSpace space_;
  double seconds_ = 0;
  std::array<std::unique_ptr<Pomdp>, 2> models_;  // with finite observations; as they are
  std::string problem_;
  std::optional<RunFolder> folder_;
  std::optional<Trials> trials_;
  std::mutex mutex_;
};

}  // namespace

std::function<int()> declare_tune(Flags& flags) {
  auto o = std::make_shared<TuneArguments>();
  flags.positional("SPACE", o->space, Need::kRequired, "the ranges: a TOML file (docs/tune.md)");
  flags.positional("DOMAIN", o->domain, Need::kRequired,
                   "the problem: a name (penumbra domains lists them) or a .pomdp or .pomdpx file");
  flags.text("--solver", o->solver, Need::kOptional, "whose options (nvi)");
  flags.text("--run", o->run, Need::kRequired, "the folder of the search, new or to go on with");
  flags.count("--trials", o->trials, 1, 1'000'000, "how many in all (50)");
  flags.text("--time", o->time, Need::kOptional, "of each trial (60s; none with --backups)");
  flags.count("--backups", o->backups, 0, INT64_MAX, "work of each trial; repeatable");
  flags.text("--method", o->method, Need::kOptional,
             "parzen (follows what was tried) or random (parzen)");
  flags.text("--early", o->early, Need::kOptional,
             "median: stop trials that fall behind half of the others; never (median)");
  flags.count("--batch", o->batch, 1, 10'000,
              "trials that are proposed, and may run, at the same time (4)");
  flags.count("--episodes", o->episodes, 1, kMaxEpisodes, "of the score of a trial (10000)");
  declare_common(flags, o->common);
  flags.examples(kTuneExamples);
  return [o] {
    catch_interrupts();
    return Search(*o).run();
  };
}

}  // namespace penumbra::cli

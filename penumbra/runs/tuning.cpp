#include "penumbra/runs/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <mutex>
#include <thread>

#include "penumbra/base/error.h"
#include "penumbra/base/parameter_search.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/policy/playable.h"
#include "penumbra/runs/duration.h"
#include "penumbra/runs/read_text.h"
#include "penumbra/runs/run_folder.h"
#include "penumbra/runs/search_space.h"
#include "penumbra/solvers/registry.h"

namespace penumbra {
namespace {

class Tuning {
 public:
  Tuning(const TuneOptions& o, const std::function<void(const Trial&)>& report, ModelSource source)
      : o_(o),
        report_(report),
        source_(std::move(source)),
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

  TuneResult run() {
    const int threads =
        o_.common.threads > 0 ? static_cast<int>(o_.common.threads) : ThreadPool(0).num_threads();
    const int wanted = static_cast<int>(o_.trials), batch = static_cast<int>(o_.batch);
    for (int first = 0; first < wanted && !interrupted_anywhere(); first += batch)
      run_batch(first, std::min(wanted, first + batch), threads);
    return result();
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
    if (!source_)
      source_ = [this](bool finite) { return load_model(o_.domain, o_.common, finite); };
    auto load_for = [&](const Solver& solver) {
      std::unique_ptr<Pomdp>& model = models_[continuous(solver)];
      if (!model) model = source_(!continuous(solver));
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

  // The folder belongs to one search: another space or budget is refused. Only rank 0 has it; the
  // others know the same trials.
  void open_folder() {
    std::vector<Trial> known;
    if (o_.common.leads()) {
      open_own_folder();
      known = trials_->all();
    }
    if (o_.common.team) o_.common.team->send_to_all(known);
    if (!o_.common.leads()) trials_.emplace(std::move(known));
  }

  void open_own_folder() {
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
    const std::string config = write_config("tune", table, OptionRecord());
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
    // Those of a batch are shared out; all ranks hear of all.
    Team* team = o_.common.team;
    std::vector<int> open;
    for (int n = first, i = 0; n < last; ++n)
      if (!trials_->find(n) && i++ % (team ? team->size() : 1) == (team ? team->rank() : 0))
        open.push_back(n);
    std::atomic<size_t> next{0};
    std::exception_ptr failed;
    std::vector<Trial> own;
    auto work = [&] {
      for (size_t i; (i = next++) < open.size() && !interrupted();) try {
          std::optional<Trial> trial = run_trial(open[i], tried, known);
          if (trial) finish(*trial, own);
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
    if (team && team->size() > 1) hear_of_others(*team, own);
  }

  void hear_of_others(Team& team, std::vector<Trial>& own) {
    BytesSink sink;
    Saver saver(sink);
    saver(own);
    for (const Bytes& bytes : team.gather(std::move(sink.bytes))) {
      BytesSource source(bytes);
      Loader loader(source);
      std::vector<Trial> heard, known;
      loader(heard);
      for (const Trial& trial : heard)
        if (!trials_->find(trial.number)) finish(trial, known);
    }
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

  void finish(const Trial& trial, std::vector<Trial>& finished) {
    const std::lock_guard lock(mutex_);
    if (folder_) folder_->log("trial", {{"number", trial.number}, {"score", trial.score}});
    trials_->add(trial);
    finished.push_back(trial);
    if (report_) report_(trial);
  }

  // The best configuration as a file, and what mattered.
  TuneResult result() {
    TuneResult out;
    out.problem = problem_;
    out.config = o_.run + "/best.toml";
    out.trials = trials_->all();
    const Trial* best = trials_->best();
    if (!best && interrupted()) return out;
    if (!best) throw Error("every trial was ended early; --early never lets them go on");
    out.best = *best;
    OptionRecord options;
    SolveOptions solve;
    declare_solve_options(options, solve);
    ConfigTable table{{"domain", o_.domain}, {"solver", o_.solver}};
    if (o_.backups > 0) table.emplace_back("backups", std::to_string(o_.backups));
    if (seconds_ > 0) table.emplace_back("time", fmt::format("{}s", seconds_));
    table.emplace_back("seed", std::to_string(o_.common.seed));
    for (const auto& entry : space_.fixed) table.push_back(entry);
    for (const auto& entry : best->settings) table.push_back(entry);
    if (folder_) replace_file(out.config, write_config("solve", table, options));
    std::vector<Tried> tried;
    for (const Trial& t : out.trials) {
      tried.push_back({t.point, t.score});
      out.stopped_early += t.stopped_early();
    }
    const std::vector<double> shares = importance(space_.ranges, tried);
    for (size_t i = 0; i < shares.size(); ++i)
      out.importance.emplace_back(space_.ranges[i].name, shares[i]);
    return out;
  }

  bool interrupted() const { return asked_to_stop(o_.common.interrupted); }
  // The same answer on all ranks: a batch without the trials of one of them is no batch.
  bool interrupted_anywhere() const {
    if (!o_.common.team) return interrupted();
    const std::vector<Bytes> all = o_.common.team->gather(Bytes(interrupted() ? 1 : 0));
    return std::any_of(all.begin(), all.end(), [](const Bytes& b) { return !b.empty(); });
  }

  const TuneOptions& o_;
  const std::function<void(const Trial&)>& report_;
  ModelSource source_;
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

void declare_tune_options(OptionRecord& options, TuneOptions& o) {
  options.positional("SPACE", o.space, Need::kRequired, "the ranges: a TOML file (docs/tune.md)");
  options.positional(
      "DOMAIN", o.domain, Need::kRequired,
      "the problem: a name (penumbra domains lists them) or a .pomdp or .pomdpx file");
  options.text("--solver", o.solver, Need::kOptional, "whose options (nvi)");
  options.text("--run", o.run, Need::kRequired, "the folder of the search, new or to go on with");
  options.count("--trials", o.trials, 1, 1'000'000, "how many in all (50)");
  options.text("--time", o.time, Need::kOptional, "of each trial (60s; none with --backups)");
  options.count("--backups", o.backups, 0, INT64_MAX, "work of each trial; repeatable");
  options.text("--method", o.method, Need::kOptional,
               "parzen (follows what was tried) or random (parzen)");
  options.text("--early", o.early, Need::kOptional,
               "median: stop trials that fall behind half of the others; never (median)");
  options.count("--batch", o.batch, 1, 10'000,
                "trials that are proposed, and may run, at the same time (4)");
  options.count("--episodes", o.episodes, 1, kMaxEpisodes, "of the score of a trial (10000)");
  declare_common(options, o.common);
}

TuneResult tune(const TuneOptions& o, const std::function<void(const Trial&)>& report,
                ModelSource source) {
  return Tuning(o, report, std::move(source)).run();
}

}  // namespace penumbra

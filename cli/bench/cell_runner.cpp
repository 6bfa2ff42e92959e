#include "cli/bench/cell_runner.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <thread>

#include "cli/bench/cell_process.h"
#include "cli/bench/cell_result.h"
#include "cli/interrupt.h"
#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/runs/json_fields.h"
#include "penumbra/runs/load.h"
#include "penumbra/search/planners.h"
#include "penumbra/solvers/registry.h"

namespace penumbra::cli {
namespace {

constexpr std::chrono::milliseconds kPoll{20};
// A cell with a limit on its time that is this much over it hangs.
constexpr double kPatience = 300;

std::vector<int> processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> all;
  for (int p = 0; p < CPU_SETSIZE; ++p)
    if (CPU_ISSET(p, &set)) all.push_back(p);
  return all;
}

// Whether a cell of this name is asked for.
bool is_among(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

template <typename Row>
void check_names(const char* option, const std::vector<std::string>& wanted,
                 const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.name);
  for (const std::string& name : wanted)
    if (!is_among(names, name))
      throw Error(
          fmt::format("{}: the experiment has no '{}'{}", option, name, did_you_mean(name, names)));
}

class Runner {
 public:
  Runner(const BenchFolder& folder, const RunnerOptions& o)
      : folder_(folder), o_(o), began_(Clock::now()) {
    int widest = 1;
    for (const Cell* cell : cells_asked_for(folder.experiment(), o)) {
      if (folder.has_result(cell->id)) continue;
      waiting_.push_back(cell);
      widest = std::max(widest, threads_of(*cell));
    }
    // In a piece of a bench every row has its first seed before any has its second.
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [](const Cell* a, const Cell* b) { return a->seed < b->seed; });
    wanted_ = waiting_.size();
    const std::vector<int> all = processors();
    if (size_t(o.jobs) * size_t(widest) > all.size())
      throw Error(fmt::format(
          "{} cells at a time of {} threads each need {} processors, and there are {}: they would "
          "disturb each other's timing; lower --jobs",
          o.jobs, widest, o.jobs * widest, all.size()));
    for (int job = 0; job < o.jobs; ++job) {
      Slot slot;
      CPU_ZERO(&slot.where);
      for (int t = 0; t < widest; ++t) CPU_SET(all[size_t(job * widest + t)], &slot.where);
      // One cell at a time may wander: pinning would keep it from a processor that is free.
      if (o.jobs == 1)
        for (int p : all) CPU_SET(p, &slot.where);
      slots_.push_back(std::move(slot));
    }
  }

  RunnerTotals run() {
    catch_interrupts();
    while (true) {
      for (Slot& slot : slots_)
        if (slot.process)
          watch(slot);
        else
          start_next(slot);
      const bool busy = std::any_of(slots_.begin(), slots_.end(),
                                    [](const Slot& slot) { return slot.process != nullptr; });
      if (!busy && (waiting_.empty() || !may_start())) break;
      std::this_thread::sleep_for(kPoll);
    }
    totals_.interrupted = interrupted();
    totals_.left = static_cast<int>(wanted_) - totals_.done - totals_.failed;
    return totals_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Slot {
    const Cell* cell = nullptr;
    std::unique_ptr<CellProcess> process;
    cpu_set_t where;
    bool told = false;  // to end
    bool hangs = false;
  };

  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
  bool may_start() const { return !interrupted() && (o_.seconds <= 0 || seconds() < o_.seconds); }

  void start_next(Slot& slot) {
    while (!waiting_.empty() && may_start()) {
      const Cell& cell = *waiting_.front();
      waiting_.pop_front();
      if (folder_.has_result(cell.id)) {  // of another process
        ++totals_.done;
        continue;
      }
      // A run that ended just before the bench was killed.
      if (const auto result = finished_result(folder_, cell, 0)) {
        finish(cell, *result);
        continue;
      }
      if (const std::string problem = why_not(cell); !problem.empty()) {
        finish(cell, unfinished_result(cell, "not applicable", problem));
        continue;
      }
      start(slot, cell);
      return;
    }
  }

  void start(Slot& slot, const Cell& cell) {
    const std::string run = folder_.cell(cell.id);
    std::filesystem::create_directories(run);
    std::vector<std::string> arguments;
    if (cell.policy.empty() && std::filesystem::exists(run + "/config.toml")) {
      arguments = {"resume", run, "--quiet"};
    } else {
      std::filesystem::remove(run + "/config.toml");  // a score begins anew
      arguments = cell_arguments(cell);
      for (const std::string& word : {std::string("--run"), run, std::string("--quiet")})
        arguments.push_back(word);
    }
    std::filesystem::remove(run + "/stderr.txt");
    slot.cell = &cell;
    slot.told = slot.hangs = false;
    slot.process = std::make_unique<CellProcess>(arguments, run + "/stderr.txt", slot.where);
  }

  void watch(Slot& slot) {
    const double limit = time_limit_of(*slot.cell);
    if (interrupted() && !slot.told) {
      slot.process->send(SIGTERM);
      slot.told = true;
    }
    if (limit > 0 && slot.process->seconds() > 2 * limit + kPatience) {
      slot.process->send(SIGKILL);
      slot.hangs = true;
    }
    const std::optional<int> code = slot.process->ended();
    if (!code) return;
    const Cell& cell = *slot.cell;
    const double wall = slot.process->seconds();
    slot.process.reset();
    if (const auto result = finished_result(folder_, cell, wall)) return finish(cell, *result);
    if (slot.told || *code == 130 || *code == -SIGTERM || *code == -SIGINT)
      return;  // it has a checkpoint and goes on with the next call
    const std::string words = last_words(folder_, cell);
    if (words.starts_with("another process works on the run")) {
      if (!o_.quiet) fmt::print(stderr, "{}: {}\n", describe(cell), words);
      return;
    }
    const std::string problem =
        slot.hangs          ? fmt::format("did not end {} s after twice its limit", kPatience)
        : *code == -SIGKILL ? "killed by signal 9: is the memory too small?"
        : *code < 0         ? fmt::format("ended by signal {}", -*code)
                            : words;
    finish(cell, unfinished_result(cell, "failed", problem));
  }

  void finish(const Cell& cell, const Json& result) {
    folder_.write_result(cell.id, result);
    const bool failed = result["status"] == "failed";
    ++(failed ? totals_.failed : totals_.done);
    if (o_.quiet) return;
    std::string text = result.value("problem", "");
    if (result.contains("score"))
      text = fmt::format("{:.3f} +- {:.3f}, {:.1f} s, {}", result["score"]["mean"].get<double>(),
                         number_in(result["score"], "standard_error"),
                         number_in(result, "seconds", number_in(result["score"], "seconds")),
                         result["status"].get<std::string>());
    fmt::print(stderr, "[{}/{}] {}: {}{}\n", totals_.done + totals_.failed, wanted_, describe(cell),
               failed ? "FAILED: " : "", text);
  }

  static Capabilities needs(const Cell& cell) {
    if (cell.policy.empty()) return make_solver(cell.solver_name)->needs();
    for (const search::PlannerInfo& planner : search::planners())
      if (planner.name == cell.solver_name) return planner.needs;
    return {};
  }

  // Why the solver cannot take the model; empty: it can. Maps of one model are alike.
  std::string why_not(const Cell& cell) {
    const auto [at, is_new] = reasons_.try_emplace({cell.model, cell.solver_name});
    if (!is_new) return at->second;
    if (loaded_ != cell.model) {
      try {
        CommonOptions quiet;
        quiet.quiet = true;
        quiet.may_run = [](const std::string&) { return true; };  // the bench was allowed to
        model_ = load_model(cell.domain, quiet, true);
      } catch (const Error&) {
        return "";  // the cell itself will say it
      }
      loaded_ = cell.model;
    }
    try {
      require(*model_, needs(cell), cell.solver_name);
    } catch (const Error& error) {
      at->second = error.what();
    }
    return at->second;
  }

  const BenchFolder& folder_;
  RunnerOptions o_;
  Clock::time_point began_;
  std::deque<const Cell*> waiting_;
  size_t wanted_ = 0;
  std::vector<Slot> slots_;
  RunnerTotals totals_;
  std::map<std::pair<std::string, std::string>, std::string> reasons_;
  std::string loaded_;  // the model that was looked at last
  std::unique_ptr<Pomdp> model_;
};

}  // namespace

std::vector<const Cell*> cells_asked_for(const Experiment& e, const RunnerOptions& o) {
  check_names("--models", o.models, e.models);
  check_names("--solvers", o.solvers, e.solvers);
  std::vector<const Cell*> cells;
  for (size_t i = 0; i < e.cells.size(); ++i)
    if (static_cast<int>(i % size_t(o.shards)) == o.shard && is_among(o.models, e.cells[i].model) &&
        is_among(o.solvers, e.cells[i].solver))
      cells.push_back(&e.cells[i]);
  return cells;
}

RunnerTotals run_cells(const BenchFolder& folder, const RunnerOptions& options) {
  return Runner(folder, options).run();
}

}  // namespace penumbra::cli

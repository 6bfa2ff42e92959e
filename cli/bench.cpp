// penumbra bench: runs an experiment, cell by cell, and draws up its table and figures; without
// one, short runs of every solver that show whether it behaves as before.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/bench/cell_runner.h"
#include "cli/bench/results_page.h"
#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/signature.h"
#include "penumbra/base/error.h"
#include "penumbra/runs/duration.h"
#include "penumbra/runs/plugin.h"

namespace penumbra::cli {
namespace {

constexpr const char* kBenchExamples =
    "Examples:\n"
    "  penumbra bench experiments/table.toml --scale smoke\n"
    "  penumbra bench experiments/table.toml --scale hour --jobs 2 --time 50m    in pieces\n"
    "  penumbra bench experiments/table.toml --scale hour --shard 1/2            on one of two\n"
    "  penumbra bench experiments/table.toml --scale paper --solvers 'NVI; MCVI'  some rows of it\n"
    "  penumbra bench benches/table-hour --merge other/table-hour\n"
    "  penumbra bench benches/table-hour --results docs/results.md\n"
    "  penumbra bench                  short runs, each with its time and its number\n"
    "  penumbra bench --signature      the one number of them all\n"
    "\n"
    "An experiment (docs/bench.md) goes on where it was when it is called again. A folder in "
    "place\n"
    "of the file runs nothing and draws up its table. The number of --signature is the same for\n"
    "any number of threads and differs between instruction sets, whose name stands behind it.\n";

struct BenchArguments {
  std::string experiment, scale = "smoke", out, shard, models, solvers, merge, results, time;
  uint64_t jobs = 1, threads = 0;
  bool signature = false, retry = false, dry_run = false;
  CommonOptions common;
};

// "2/4": the second of four.
void read_shard(const std::string& text, RunnerOptions& out) {
  if (text.empty()) return;
  const size_t slash = text.find('/');
  int64_t part = 0, parts = 0;
  if (slash == std::string::npos || !parse_number(text.substr(0, slash), part) ||
      !parse_number(text.substr(slash + 1), parts) || part < 1 || part > parts || parts > 100'000)
    throw Error("--shard must be a part of the whole such as 1/4, not '" + text + "'");
  out.shard = static_cast<int>(part - 1);
  out.shards = static_cast<int>(parts);
}

// The words between separators, without the blanks around them.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  for (size_t from = 0; from < text.size();) {
    const size_t to = std::min(text.find(separator, from), text.size());
    const size_t first = text.find_first_not_of(' ', from);
    if (first < to)
      words.push_back(text.substr(first, text.find_last_not_of(' ', to - 1) + 1 - first));
    from = to + 1;
  }
  return words;
}

// What a bench would do: an hour too much is told before it is spent.
int dry_run(Experiment e, const RunnerOptions& how, const BenchArguments& o) {
  double seconds = 0;
  int unlimited = 0;
  std::vector<Cell> cells;
  for (const Cell* cell : cells_asked_for(e, how)) cells.push_back(*cell);
  e.cells = std::move(cells);
  for (const Cell& cell : e.cells) {
    const double limit = time_limit_of(cell);
    seconds += limit;
    unlimited += limit <= 0;
    if (!o.common.quiet && !o.common.json)
      fmt::print("{}\n  penumbra {}\n", describe(cell), command_text(cell));
  }
  if (o.common.json)
    print_json(experiment_json(e));
  else
    fmt::print("{} cells; {:.1f} hours at most, one at a time, and the scoring{}\n", e.cells.size(),
               seconds / 3600,
               unlimited > 0 ? fmt::format("; {} without a limit on time", unlimited) : "");
  return kOk;
}

int bench(const BenchArguments& o) {
  RunnerOptions how;
  how.jobs = static_cast<int>(o.jobs);
  how.quiet = o.common.quiet;
  if (!o.time.empty()) how.seconds = parse_duration("--time", o.time);
  read_shard(o.shard, how);
  how.models = split(o.models, ';');
  how.solvers = split(o.solvers, ';');
  const bool only_tables = std::filesystem::is_directory(o.experiment);
  if (o.dry_run && !only_tables) return dry_run(read_experiment(o.experiment, o.scale), how, o);
  const BenchFolder folder = [&] {
    if (only_tables) return BenchFolder::open(o.experiment);
    const Experiment e = read_experiment(o.experiment, o.scale);
    cells_asked_for(e, how);  // a wrong name leaves no folder behind
    return BenchFolder::create(
        o.out.empty() ? fmt::format("benches/{}-{}", e.name, e.scale) : o.out, e);
  }();
  for (const std::string& other : split(o.merge, ',')) {
    const int taken = folder.merge(BenchFolder::open(other));
    if (!o.common.quiet) fmt::print(stderr, "{}: {} results taken over\n", other, taken);
  }
  RunnerTotals totals;
  if (!only_tables) {
    // Its cells name the models on their command lines.
    for (const ModelRow& model : folder.experiment().models)
      if (is_plugin_path(model.domain)) check_may_run(model.domain, o.common);
    if (o.retry) folder.forget_failures();
    totals = run_cells(folder, how);
  }
  const Table table = make_table(folder);
  write_tables(folder, table);
  if (!o.results.empty()) write_results_page(folder, table, o.results);
  if (o.common.json)
    print_json(table_json(table));
  else
    fmt::print("{}\n{}\n{} of {} cells done, {} failed: {}\n", table_markdown(table),
               duels_markdown(table), table.done, table.cells, table.failed, folder.path());
  return totals.interrupted ? kInterrupted : totals.failed > 0 ? kBadInput : kOk;
}

int run(const BenchArguments& o) {
  if (!o.experiment.empty()) return bench(o);
  return print_signature({o.signature, o.common.json, static_cast<int>(o.threads)});
}

}  // namespace

std::function<int()> declare_bench(Flags& flags) {
  auto o = std::make_shared<BenchArguments>();
  flags.positional("EXPERIMENT", o->experiment, Need::kOptional,
                   "a TOML file (docs/bench.md), or the folder of a bench");
  flags.text("--scale", o->scale, Need::kOptional,
             "how much of it: smoke, hour, paper, or another that the file has (smoke)");
  flags.text("--out", o->out, Need::kOptional, "the folder of the bench (benches/NAME-SCALE)");
  flags.count("--jobs", o->jobs, 1, kMaxThreads, "cells at a time, each on its own cores (1)");
  flags.text("--time", o->time, Need::kOptional, "begin no cell after this long (never)");
  flags.text("--shard", o->shard, Need::kOptional, "only part I of N, written I/N");
  flags.text("--models", o->models, Need::kOptional,
             "only cells of these models, by their names in the file, separated by semicolons");
  flags.text("--solvers", o->solvers, Need::kOptional, "only cells of these solvers, the same way");
  flags.text("--merge", o->merge, Need::kOptional,
             "take over the results of these folders, separated by commas");
  flags.flag("--dry-run", o->dry_run, "list the cells and how long they may take, run nothing");
  flags.flag("--retry", o->retry, "run cells that failed again");
  flags.text("--results", o->results, Need::kOptional,
             "write a page with table and figures, such as docs/results.md");
  flags.flag("--signature", o->signature, "only the number, and the instruction set it is for");
  flags.count("--threads", o->threads, 0, kMaxThreads,
              "of the short runs; 0: as many as there are cores (0)");
  declare_output(flags, o->common);
  flags.examples(kBenchExamples);
  return [o, &flags] {
    if (flags.team().size() > 1)
      throw Error(
          "bench runs its cells as processes of their own: start penumbra bench --shard I/N on "
          "each "
          "machine (docs/cluster.md)");
    return run(*o);
  };
}

}  // namespace penumbra::cli

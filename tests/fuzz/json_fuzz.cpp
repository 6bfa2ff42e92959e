// libFuzzer: any bytes as JSON, by the first byte: a trial of a search, the records of a bench as
// the report reads them, or as the bench does that goes on and draws up its table.
#include "cli/bench/cell_result.h"
#include "cli/bench/figures.h"
#include "cli/bench/table.h"
#include "penumbra/base/error.h"
#include "penumbra/runs/report_runs.h"
#include "penumbra/runs/trials.h"
#include "tests/fuzz/fuzz_folder.h"

namespace {

template <class Read>
void read_or_refuse(const Read& read) {
  try {
    read();
  } catch (const penumbra::Error&) {
  }
}

// One cell and a figure of each kind.
const penumbra::cli::BenchFolder& bench_of_one() {
  using namespace penumbra::cli;
  static const BenchFolder folder = [] {
    Experiment e;
    e.name = e.title = e.file = "fuzz";
    e.scale = "smoke";
    e.models.push_back({"tiger", "tiger", {}});
    e.solvers.push_back({"SARSOP", "sarsop", "table", 3, {}, ""});
    e.cells.push_back({"a", "tiger", "SARSOP", "table", {}, 1, "tiger", {}, "sarsop", ""});
    for (const char* kind : {"bounds", "parameter", "score-by-nodes", "score-by-time"})
      e.figures.push_back({kind, kind, kind, "tiger", {"SARSOP"}, "table"});
    const std::string path = fuzz_folder() + "/one";
    BenchFolder made = BenchFolder::create(path, e);
    std::filesystem::create_directories(made.cell("a"));
    std::filesystem::create_directories(fuzz_folder() + "/plan");
    return made;
  }();
  return folder;
}

void go_on_with_bench(const unsigned char* data, size_t size) {
  using namespace penumbra::cli;
  const BenchFolder& folder = bench_of_one();
  const std::string run = folder.cell("a");
  for (const std::string& file : {folder.result_file("a"), run + "/log.jsonl",
                                  run + "/episodes.json", fuzz_folder() + "/plan/bench.json"})
    put_file(file, data, size);
  Table table;
  read_or_refuse([&] { table = make_table(folder); });
  table_json(table).dump();
  table_markdown(table);
  read_or_refuse([&] { finished_result(folder, folder.experiment().cells[0], 1); });
  for (const FigureRow& figure : folder.experiment().figures)
    read_or_refuse([&] { make_figure(folder, table, figure); });
  read_or_refuse([&] { folder.forget_failures(); });
  std::filesystem::create_directories(run);
  read_or_refuse([&] { BenchFolder::open(fuzz_folder() + "/plan"); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  if (size == 0) return 0;
  const std::string trials = fuzz_folder() + "/trials", bench = fuzz_folder() + "/bench";
  static const bool ready = std::filesystem::create_directories(trials) &&
                            std::filesystem::create_directories(bench + "/results");
  (void)ready;
  if (data[0] % 4 == 3) {
    go_on_with_bench(data + 1, size - 1);
  } else if (data[0] % 2 == 0) {
    put_file(trials + "/0001.json", data + 1, size - 1);
    read_or_refuse([&] { penumbra::Trials(trials).best(); });
  } else {
    put_file(bench + "/bench.json", data + 1, size - 1);
    put_file(bench + "/results/a.json", data + 1, size - 1);
    put_file(bench + "/table.json", data + 1, size - 1);
    read_or_refuse([&] { penumbra::read_report_runs(bench); });
  }
  return 0;
}

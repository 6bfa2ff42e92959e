// libFuzzer: any bytes as the log of a run, as the report and whoever watches it read it.
#include "penumbra/base/error.h"
#include "penumbra/runs/report_runs.h"
#include "penumbra/runs/run_watch.h"
#include "tests/fuzz/fuzz_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  static const bool ready = [] {
    put_file(fuzz_folder() + "/config.toml", "[solve]\ndomain = \"tiger\"\n");
    return true;
  }();
  (void)ready;
  put_file(fuzz_folder() + "/log.jsonl", data, size);
  try {
    const penumbra::ReportRuns runs = penumbra::read_report_runs(fuzz_folder());
    // As the page gets it.
    for (const penumbra::ReportRun& run : runs.runs)
      run.fields.dump(-1, ' ', false, penumbra::Json::error_handler_t::replace);
  } catch (const penumbra::Error&) {
  }
  try {
    penumbra::RunWatch watch(fuzz_folder());
    watch.look();
    watch.seconds();
  } catch (const penumbra::Error&) {
  }
  return 0;
}

// libFuzzer: any bytes as JSON: a trial of a search, or the record of a bench, by the first byte.
#include "penumbra/base/error.h"
#include "penumbra/runs/report_runs.h"
#include "penumbra/runs/trials.h"
#include "tests/fuzz/fuzz_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  if (size == 0) return 0;
  const std::string trials = fuzz_folder() + "/trials", bench = fuzz_folder() + "/bench";
  static const bool ready = std::filesystem::create_directories(trials) &&
                            std::filesystem::create_directories(bench + "/results");
  (void)ready;
  try {
    if (data[0] % 2 == 0) {
      put_file(trials + "/0001.json", data + 1, size - 1);
      penumbra::Trials read(trials);
      read.best();
    } else {
      put_file(bench + "/bench.json", data + 1, size - 1);
      put_file(bench + "/results/a.json", data + 1, size - 1);
      put_file(bench + "/table.json", data + 1, size - 1);
      penumbra::read_report_runs(bench);
    }
  } catch (const penumbra::Error&) {
  }
  return 0;
}

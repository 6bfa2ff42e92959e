// libFuzzer: any bytes as TOML: a configuration, an experiment or a search space, by the first
// byte.
#include "penumbra/base/error.h"
#include "penumbra/runs/config.h"
#include "penumbra/runs/experiment_file.h"
#include "penumbra/runs/search_space.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    switch (data[0] % 3) {
      case 0:
        penumbra::parse_config(text, "f.toml");
        break;
      case 1: {
        penumbra::ExperimentFile file = penumbra::parse_experiment_file(text, "f.toml");
        file.top.text("name");
        file.defaults.number("episodes");
        for (penumbra::FileTable& row : file.models) row.list("maps");
        for (penumbra::FileTable& row : file.solvers) row.count("seeds");
        break;
      }
      default:
        penumbra::SearchSpace::parse(text, "f.toml");
    }
  } catch (const penumbra::Error&) {
  }
  return 0;
}

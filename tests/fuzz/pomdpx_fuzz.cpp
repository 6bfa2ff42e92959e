// libFuzzer: any bytes as a POMDPX document. See pomdp_fuzz.cpp.
#include "penumbra/io/pomdpx_file.h"

#include <cstdlib>

#include "penumbra/base/error.h"
#include "penumbra/io/factored_model.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  penumbra::ReadOptions options;
  options.memory_limit = 2e6;
  penumbra::ModelFile file;
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    file = penumbra::read_pomdpx_text("f.pomdpx", text, options);
    penumbra::check_tabular(file.table);
  } catch (const penumbra::Error&) {
    return 0;
  }
  const std::string written = penumbra::write_pomdpx_text(*file.factored);
  const penumbra::Tabular back = penumbra::read_pomdpx_text("g.pomdpx", written).table;
  const penumbra::Tabular& t = file.table;
  if (back.transition != t.transition || back.observation != t.observation ||
      back.reward != t.reward || back.start != t.start || back.visible != t.visible)
    std::abort();
  return 0;
}

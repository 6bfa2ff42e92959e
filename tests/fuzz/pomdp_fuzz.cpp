// libFuzzer: any bytes as a .pomdp file. What is read must be a model, and the same one again after
// it is written; everything else must be refused with an Error.
#include <cstdlib>

#include "penumbra/base/error.h"
#include "penumbra/io/flat_table.h"
#include "penumbra/io/pomdp_file.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  penumbra::ReadOptions options;
  options.memory_limit = 2e6;
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const penumbra::Tabular t = penumbra::read_pomdp_text("f.pomdp", text, options).table;
    penumbra::check_tabular(t);
    const std::string written = penumbra::write_pomdp_text(t);
    const penumbra::Tabular back = penumbra::read_pomdp_text("g.pomdp", written).table;
    if (back.transition != t.transition || back.observation != t.observation ||
        back.reward != t.reward || back.start != t.start)
      std::abort();
  } catch (const penumbra::Error&) {
  }
  return 0;
}

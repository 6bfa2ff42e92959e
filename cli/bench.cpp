// penumbra bench: runs an experiment, cell by cell, and draws up its table and figures; without
// one, short runs of every solver that show whether it behaves as before.
#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/signature.h"

namespace penumbra::cli {
namespace {

struct Options {
  bool signature = false;
  uint64_t threads = 0;
  CommonOptions common;
};

}  // namespace

std::function<int()> declare_bench(Flags& flags) {
  auto o = std::make_shared<Options>();
  flags.flag("--signature", o->signature, "only the number, and the instruction set it is for");
  flags.count("--threads", o->threads, 0, kMaxThreads, "0: as many as there are cores (0)");
  declare_output(flags, o->common);
  return [o] {
    return print_signature({o->signature, o->common.json, static_cast<int>(o->threads)});
  };
}

}  // namespace penumbra::cli

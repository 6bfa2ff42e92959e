// Options that several commands share.
#pragma once

#include "cli/flags.h"

namespace penumbra::cli {

struct CommonOptions {
  uint64_t seed = 1;
  uint64_t threads = 0;  // 0: as many as the machine has
  bool json = false;
  bool quiet = false;
};

constexpr uint64_t kMaxThreads = 1024;
constexpr uint64_t kMaxEpisodes = 1'000'000'000'000;

inline void declare_output(Flags& flags, CommonOptions& o) {
  flags.flag("--json", o.json, "print the result as one JSON object");
  flags.flag("--quiet", o.quiet, "no progress on stderr");
}

inline void declare_common(Flags& flags, CommonOptions& o) {
  flags.count("--seed", o.seed, 0, INT64_MAX, "which random streams (1)");
  flags.count("--threads", o.threads, 0, kMaxThreads,
              "0: as many as there are cores (0); results do not depend on it");
  declare_output(flags, o);
}

}  // namespace penumbra::cli

// Options that several commands share.
#pragma once

#include "cli/flags.h"

namespace penumbra::cli {

struct CommonOptions {
  uint64_t seed = 1;
  uint64_t threads = 0;  // 0: as many as the machine has
  bool json = false;
  bool quiet = false;
  bool strict = false;          // about model files
  uint64_t load_memory = 4000;  // MB
};

constexpr uint64_t kMaxThreads = 1024;
// Added to the seed of a solve for its final score: not the episodes that chose the policy.
constexpr uint64_t kScoreSeed = 1'000'000;
constexpr uint64_t kMaxEpisodes = 1'000'000'000'000;

inline void declare_output(Flags& flags, CommonOptions& o) {
  flags.flag("--json", o.json, "print the result as one JSON object");
  flags.flag("--quiet", o.quiet, "no progress on stderr");
}

// Of commands that load a model.
inline void declare_model(Flags& flags, CommonOptions& o) {
  flags.flag("--strict", o.strict, "refuse a model file that would be read with a warning");
  flags.count("--load-memory", o.load_memory, 1, 1'000'000'000,
              "most megabytes that the table of a model file may take (4000)");
}

inline void declare_common(Flags& flags, CommonOptions& o) {
  flags.count("--seed", o.seed, 0, INT64_MAX, "which random streams (1)");
  flags.count("--threads", o.threads, 0, kMaxThreads,
              "0: as many as there are cores (0); results do not depend on it");
  declare_model(flags, o);
  declare_output(flags, o);
}

}  // namespace penumbra::cli

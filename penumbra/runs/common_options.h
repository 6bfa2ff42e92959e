// Options that several jobs share, and whom they tell what happens: the library itself prints
// nothing and knows no signals.
#pragma once

#include <functional>

#include "penumbra/base/stop.h"
#include "penumbra/base/team.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/runs/option_record.h"

namespace penumbra {

struct CommonOptions {
  uint64_t seed = 1;
  uint64_t threads = 0;  // 0: as many as the machine has
  bool json = false;
  bool quiet = false;
  bool strict = false;          // about model files
  uint64_t load_memory = 4000;  // MB

  Team* team = nullptr;  // of the processes that share the job; null: this one is alone

  // Rank 0 alone writes and prints.
  bool leads() const { return !team || team->leads(); }
  void join(ThreadPool& pool) const {
    if (team) pool.set_team(*team);
  }

  // Of whoever runs the job; empty: nobody listens.
  std::function<void(const std::string&)> tell{};  // a line about what is done, unless quiet
  std::function<void(const std::string&)> warn{};
  Stop interrupted{};
  std::function<bool()> checkpoint_asked{};  // since the last call
  // Whether the code in this file (a .cpp or .so) may be run: the user named it. Empty: none may.
  std::function<bool(const std::string& file)> may_run{};

  void note(const std::string& line) const {
    if (!quiet && tell) tell(line);
  }
  void warning(const std::string& line) const {
    if (warn) warn(line);
  }
};

constexpr uint64_t kMaxThreads = 1024;
// Added to the seed of a solve for its final score: not the episodes that chose the policy.
constexpr uint64_t kScoreSeed = 1'000'000;
constexpr uint64_t kMaxEpisodes = 1'000'000'000'000;

inline void declare_output(OptionRecord& options, CommonOptions& o) {
  options.flag("--json", o.json, "print the result as one JSON object");
  options.flag("--quiet", o.quiet, "no progress on stderr");
}

// Of commands that load a model.
inline void declare_model(OptionRecord& options, CommonOptions& o) {
  options.flag("--strict", o.strict, "refuse a model file that would be read with a warning");
  options.count("--load-memory", o.load_memory, 1, 1'000'000'000,
                "most megabytes that the table of a model file may take (4000)");
}

inline void declare_common(OptionRecord& options, CommonOptions& o) {
  options.count("--seed", o.seed, 0, INT64_MAX, "which random streams (1)");
  options.count("--threads", o.threads, 0, kMaxThreads,
                "0: as many as there are cores (0); results do not depend on it");
  declare_model(options, o);
  declare_output(options, o);
}

}  // namespace penumbra

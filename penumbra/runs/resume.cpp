#include "penumbra/runs/resume.h"

#include <fmt/format.h>

#include <algorithm>

#include "penumbra/base/error.h"
#include "penumbra/runs/run_checkpoints.h"
#include "penumbra/runs/run_folder.h"

namespace penumbra {
namespace {

constexpr RunOverride kOverrides[] = {
    {"time", "--time", "when to stop: 90, 90s, 10m, 2h, 0 for never", true},
    {"backups", "--backups", "stop after this much work", true},
    {"nodes", "--nodes", "stop at this many nodes", true},
    {"gap", "--gap", "stop when the value is this close to the bound", true},
    {"memory", "--memory", "stop before this many megabytes are in use", false},
    {"episodes", "--episodes", "of the final score", false},
    {"checkpoint", "--checkpoint", "how often the run is saved", false},
    {"threads", "--threads", "how many; results do not depend on it", false},
    {"output", "-o,--output", "where the policy goes, besides the run's folder", false},
};

// What rank 0 reads and all ranks need.
struct Saved {
  struct Entry {
    std::string key, value;
    template <class Archive>
    void archive(Archive& a) {
      a(key, value);
    }
  };
  std::vector<Entry> options;
  template <class Archive>
  void archive(Archive& a) {
    a(options);
  }
};

const RunOverride& find_override(const std::string& key) {
  const auto at = std::find_if(std::begin(kOverrides), std::end(kOverrides),
                               [&](const RunOverride& o) { return o.key == key; });
  if (at == std::end(kOverrides))
    throw Error(fmt::format("a run goes on as it began: {} cannot be changed", key));
  return *at;
}

}  // namespace

std::span<const RunOverride> run_overrides() {
  return kOverrides;
}

void read_run_options(const std::string& folder, const ConfigTable& overrides, bool other_build,
                      SolveOptions& o, const OptionRecord& options) {
  Saved saved;
  if (o.common.leads()) {
    const RunFolder run = RunFolder::open(folder);
    for (const auto& [key, value] : run.config()) saved.options.push_back({key, value});
    if (!other_build) check_same_build(folder);
  }
  if (o.common.team) o.common.team->send_to_all(saved);
  for (const auto& [key, value] : saved.options) options.set(key, value, folder + "/config.toml: ");
  bool limited = false;
  for (const auto& [key, value] : overrides) limited |= find_override(key).is_limit;
  if (limited) {
    o.time = "0";
    o.backups = o.nodes = 0;
    o.gap.clear();
  }
  for (const auto& [key, value] : overrides) options.set(key, value);
  o.run = folder;
}

}  // namespace penumbra

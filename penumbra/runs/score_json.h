// Scores as fields of a JSON object.
#pragma once

#include "penumbra/evaluate/episode_blocks.h"
#include "penumbra/runs/json.h"
#include "penumbra/search/search.h"

namespace penumbra {

inline void add_estimate(Json& out, const Estimate& e) {
  out["mean"] = e.mean;
  out["standard_error"] = e.standard_error;
  out["low"] = e.low;
  out["high"] = e.high;
  out["episodes"] = e.count;
}

inline void add_score(Json& out, const Score& s) {
  add_estimate(out, s);
  out["undiscounted"] = {{"mean", s.undiscounted.mean},
                         {"standard_error", s.undiscounted.standard_error}};
  out["seconds"] = s.seconds;
  out["steps"] = s.steps;
  out["steps_per_second"] = s.steps_per_second();
  out["max_steps"] = s.max_steps;
  out["truncated"] = s.truncated;
  out["truncation_bound"] = s.truncation_bound;
}

// A planner's (docs/cli.md); what it does not know is null.
inline Json decision_json(const search::Decision& d) {
  return {{"value", d.value},         {"lower", d.lower}, {"upper", d.upper},
          {"by_search", d.by_search}, {"steps", d.steps}, {"simulations", d.simulations},
          {"beliefs", d.beliefs},     {"depth", d.depth}};
}

// The file episodes.json of a run (docs/records.md).
inline Json blocks_json(const std::string& domain, const EpisodeBlocks& b, uint64_t episodes) {
  return {{"v", 1},           {"domain", domain}, {"seed", b.seed}, {"episodes", episodes},
          {"block", b.block}, {"means", b.means}};
}

}  // namespace penumbra

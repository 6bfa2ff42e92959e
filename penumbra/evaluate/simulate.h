// Runs episodes in lockstep, as docs/simulation-standard.md defines them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "penumbra/model/pomdp.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

// Episodes are numbered; episode e draws from streams (key, e) whatever batch it runs in.
struct EpisodeBatch {
  RngKey key;
  uint64_t first = 0;
  size_t count = 0;
  int max_steps = 0;
};
struct EpisodeTotals {
  uint64_t steps = 0;
  uint64_t truncated = 0;  // episodes cut at max_steps
};

// returns[i] = sum over t of discount^t * reward_t of episode first + i, and undiscounted[i] the
// plain sum of its rewards where that is asked for.
EpisodeTotals simulate(const Pomdp& model, const Policy& policy, const EpisodeBatch& batch,
                       std::span<double> returns, std::span<double> undiscounted = {});

// One episode step by step, for people to read: episode `episode` of `simulate` with this key.
struct TraceStep {
  std::vector<std::byte> state, action, seen, next;
  float reward;
  bool ended;
};
std::vector<TraceStep> trace(const Pomdp& model, const Policy& policy, RngKey key, uint64_t episode,
                             int max_steps);

}  // namespace penumbra

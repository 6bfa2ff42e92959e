// A score's episodes in blocks. Policies that were scored with the same seed met the same
// episodes, so the differences of their blocks are a paired sample, long after both scores.
#pragma once

#include <vector>

#include "penumbra/evaluate/score.h"

namespace penumbra {

struct EpisodeBlocks {
  uint64_t seed = 0;
  uint64_t block = 0;         // episodes in each
  std::vector<double> means;  // of whole blocks, in the order of the episodes
};

// The score of `evaluate`, bit for bit. There are at most 1000 blocks, and fewer where it was
// cancelled.
Score evaluate(const Pomdp& model, const Policy& policy, const EvaluateOptions& options,
               ThreadPool& pool, EpisodeBlocks& blocks);

}  // namespace penumbra

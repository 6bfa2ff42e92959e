// How results and controllers are saved in checkpoints (base/archive.h).
#pragma once

#include "penumbra/base/archive.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

template <class Archive>
void archive(Archive& a, Fsc& f) {
  a(f.num_observations, f.start, f.action, f.edges);
}

template <class Archive>
void archive(Archive& a, Score& s) {
  a(s.mean, s.standard_error, s.low, s.high, s.count, s.steps, s.truncated, s.max_steps,
    s.truncation_bound, s.seconds);
}

}  // namespace penumbra

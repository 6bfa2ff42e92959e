// How results and controllers are saved in checkpoints (base/archive.h).
#pragma once

#include "penumbra/base/archive.h"
#include "penumbra/belief/particles.h"
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

template <class Archive>
void archive(Archive& a, Particles& p) {
  uint64_t size = p.states.record_size();
  std::vector<std::byte> bytes;
  if constexpr (!Archive::kLoading) {
    const ConstRecords records = p.states;
    bytes.assign(records.data, records.data + records.size * records.count);
  }
  a(size, bytes, p.weights);
  if constexpr (Archive::kLoading) {
    p.states = RecordBuffer(size);
    if (size > 0) p.states.append({bytes.data(), size, bytes.size() / size});
  }
}

}  // namespace penumbra

// How results and controllers are saved in checkpoints (base/archive.h).
#pragma once

#include <cstdlib>

#include "penumbra/base/archive.h"
#include "penumbra/belief/particles.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

template <class Archive>
void archive(Archive& a, Fsc& f) {
  // A negative number announces real actions; without them bytes are as they always were.
  int observations = f.action_width > 0 ? -f.num_observations : f.num_observations;
  a(observations, f.start, f.action, f.edges);
  f.num_observations = std::abs(observations);
  if (observations < 0) a(f.action_width, f.action_values);
}

template <class Archive>
void archive(Archive& a, Score& s) {
  a(s.mean, s.standard_error, s.low, s.high, s.count, s.steps, s.truncated, s.max_steps,
    s.truncation_bound, s.seconds);
}

template <class Archive>
void archive(Archive& a, RecordBuffer& buffer) {
  uint64_t size = buffer.record_size();
  std::vector<std::byte> bytes;
  if constexpr (!Archive::kLoading) {
    const ConstRecords records = buffer;
    bytes.assign(records.data, records.data + records.size * records.count);
  }
  a(size, bytes);
  if constexpr (Archive::kLoading) {
    buffer = RecordBuffer(size);
    if (size > 0) buffer.append({bytes.data(), size, bytes.size() / size});
  }
}

template <class Archive>
void archive(Archive& a, Particles& p) {
  a(p.states, p.weights);
}

}  // namespace penumbra

// The random streams of a batch, all lanes at once: draw k of lane i is draw k of Rng(key, id(i)),
// bit for bit. Lanes share their position, so that one call draws a number for each of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "penumbra/base/rng.h"

namespace penumbra {

class LaneRng {
 public:
  // Copies the ids, if there are any.
  LaneRng(Streams streams, size_t lanes);

  size_t lanes() const { return lanes_; }
  RngKey key() const { return key_; }
  uint64_t id(size_t i) const { return ids_.empty() ? first_ + i : ids_[i]; }
  uint64_t position() const { return position_; }
  // Leaves out the next `count` draws of every lane.
  void skip(uint64_t count) { position_ += count; }
  // The streams of the same batch, from their beginning.
  Streams streams() const { return {key_, first_, ids_.empty() ? nullptr : ids_.data()}; }
  // These lanes of it, from the present position on.
  LaneRng at(std::span<const int64_t> lanes) const;
  // The stream of one lane, from the present position on.
  Rng scalar(size_t lane) const;

  // The next draw of every lane as it is; valid until the next call.
  std::span<const uint32_t> bits32();
  // All `out` have a number per lane.
  void uniform(std::span<double> out);
  void uniform_float(std::span<float> out);
  void normal(std::span<double> out);

 private:
  void fill(uint64_t block);

  RngKey key_;
  uint64_t first_;
  std::vector<uint64_t> ids_;
  size_t lanes_;
  uint64_t position_ = 0;
  uint64_t block_ = UINT64_MAX;  // the block of four draws that words_ has
  std::vector<uint32_t> words_;  // [draw of the block][lane]
};

}  // namespace penumbra

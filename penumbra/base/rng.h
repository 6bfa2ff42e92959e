// Counter-based random numbers. A stream is a pure function of (key, lane): no state is shared,
// so results do not depend on threads, on the split of a batch, or on the order of calls.
//
//   RngKey root = RngKey::from_seed(7);
//   RngKey key = root.fold("evaluate").fold(t);    // (seed, purpose, step ...)
//   Rng rng(key, lane);                            // costs nothing until the first draw
//   double u = rng.uniform();
#pragma once

#include <Random123/philox.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace penumbra {

// Names a family of streams, one per lane. Folding in a word or a number gives an unrelated family.
struct RngKey {
  uint64_t value = 0;

  static constexpr RngKey from_seed(uint64_t seed) {
    return RngKey{0x9e3779b97f4a7c15u}.fold(seed);
  }
  constexpr RngKey fold(uint64_t word) const {
    return {mix(value ^ mix(word + 0x9e3779b97f4a7c15u))};
  }
  constexpr RngKey fold(std::string_view purpose) const {
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (char c : purpose) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return fold(hash);
  }

  // The finaliser of splitmix64: a bijection of 64-bit words that scatters every input bit.
  static constexpr uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  bool operator==(const RngKey&) const = default;
};

// The inverse of the standard normal distribution function (Wichura's AS 241), u in (0, 1).
double normal_quantile(double u);
// The standard normal distribution function.
inline double normal_cdf(double x) {
  return 0.5 * std::erfc(-x * 0.70710678118654752440);
}

// One stream. Philox 4x32 with seven rounds, the fewest that pass BigCrush (Salmon et al. 2011).
class Rng {
 public:
  Rng(RngKey key, uint64_t lane) : key_(key), lane_(lane) {}

  uint32_t bits32() {
    if (next_ == 4) refill();
    return block_[next_++];
  }
  uint64_t bits64() {
    uint64_t high = bits32();
    return high << 32 | bits32();
  }
  // Uniform in [0, 1), a multiple of 2^-32: one draw.
  double uniform() { return bits32() * 0x1p-32; }
  float uniform_float() { return static_cast<float>(bits32() >> 8) * 0x1p-24f; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // Uniform in {0, ..., n-1}, for n < 2^32; bias below n * 2^-32.
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((uint64_t{bits32()} * n) >> 32); }
  bool bernoulli(double probability) { return uniform() < probability; }
  // One draw each, so that common random numbers stay aligned.
  double normal() { return normal_quantile((bits32() + 0.5) * 0x1p-32); }
  double normal(double mean, double deviation) { return mean + deviation * normal(); }
  // Index i with probability weights[i] / total; the last positive one if rounding runs over.
  int categorical(std::span<const double> weights);

 private:
  void refill() {
    using Philox = r123::Philox4x32_R<7>;
    Philox::ctr_type counter = {
        {static_cast<uint32_t>(lane_), static_cast<uint32_t>(lane_ >> 32), counter_++, 0u}};
    Philox::key_type key = {
        {static_cast<uint32_t>(key_.value), static_cast<uint32_t>(key_.value >> 32)}};
    Philox::ctr_type out = Philox()(counter, key);
    for (int i = 0; i < 4; ++i) block_[i] = out[i];
    next_ = 0;
  }

  RngKey key_;
  uint64_t lane_;
  uint32_t counter_ = 0;
  int next_ = 4;
  uint32_t block_[4];
};

// The streams of a batch: lane i of the batch draws from stream id(i) of the family `key`.
struct Streams {
  RngKey key;
  uint64_t first = 0;             // id(i) = first + i, unless ids are given
  const uint64_t* ids = nullptr;  // one per lane of the batch, when lanes are not consecutive

  uint64_t id(size_t i) const { return ids ? ids[i] : first + i; }
  Rng rng(size_t i) const { return Rng(key, id(i)); }
  // The streams of lanes begin, begin+1, ... of this batch.
  Streams from(size_t begin) const { return {key, first + begin, ids ? ids + begin : nullptr}; }
};

}  // namespace penumbra

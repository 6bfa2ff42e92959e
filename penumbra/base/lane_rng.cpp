#include "penumbra/base/lane_rng.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <algorithm>

#include "penumbra/base/error.h"
#include "penumbra/base/quantile_parts.h"

namespace penumbra {
namespace {

constexpr size_t kStrip = 256;  // lanes at a time: their counters stay in the cache
constexpr uint32_t kMultiply[2] = {0xD2511F53u, 0xCD9E8D57u}, kWeyl[2] = {0x9E3779B9u, 0xBB67AE85u};

// Seven rounds of Philox 4x32 (base/rng.h) for the streams `id`; their four words go to out[0..3].
void philox(RngKey key, uint32_t counter, const uint64_t* id, size_t n, uint32_t* const out[4]) {
  size_t i = 0;
#ifdef __AVX2__
  // Four lanes, one in each 64-bit half of a register: a product takes the low words as they are,
  // and what stands above a low word does not matter.
  const auto all = [](uint32_t word) { return _mm256_set1_epi64x(word); };
  const auto store = [](uint32_t* to, __m256i words) {
    const __m256i low =
        _mm256_permutevar8x32_epi32(words, _mm256_setr_epi32(0, 2, 4, 6, 0, 0, 0, 0));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(low));
  };
  for (; i + 4 <= n; i += 4) {
    __m256i c0 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(id + i));
    __m256i c1 = _mm256_srli_epi64(c0, 32), c2 = all(counter), c3 = _mm256_setzero_si256();
    uint32_t k0 = static_cast<uint32_t>(key.value), k1 = static_cast<uint32_t>(key.value >> 32);
    for (int round = 0; round < 7; ++round, k0 += kWeyl[0], k1 += kWeyl[1]) {
      const __m256i a = _mm256_mul_epu32(c0, all(kMultiply[0]));
      const __m256i b = _mm256_mul_epu32(c2, all(kMultiply[1]));
      c0 = _mm256_xor_si256(_mm256_srli_epi64(b, 32), _mm256_xor_si256(c1, all(k0)));
      c2 = _mm256_xor_si256(_mm256_srli_epi64(a, 32), _mm256_xor_si256(c3, all(k1)));
      c1 = b;
      c3 = a;
    }
    store(out[0] + i, c0);
    store(out[1] + i, c1);
    store(out[2] + i, c2);
    store(out[3] + i, c3);
  }
#endif
  for (; i < n; ++i) {
    uint32_t k0 = static_cast<uint32_t>(key.value), k1 = static_cast<uint32_t>(key.value >> 32);
    uint32_t c0 = static_cast<uint32_t>(id[i]), c1 = static_cast<uint32_t>(id[i] >> 32);
    uint32_t c2 = counter, c3 = 0;
    for (int round = 0; round < 7; ++round, k0 += kWeyl[0], k1 += kWeyl[1]) {
      const uint64_t a = uint64_t{kMultiply[0]} * c0, b = uint64_t{kMultiply[1]} * c2;
      c0 = static_cast<uint32_t>(b >> 32) ^ c1 ^ k0;
      c2 = static_cast<uint32_t>(a >> 32) ^ c3 ^ k1;
      c1 = static_cast<uint32_t>(b);
      c3 = static_cast<uint32_t>(a);
    }
    out[0][i] = c0;
    out[1][i] = c1;
    out[2][i] = c2;
    out[3][i] = c3;
  }
}

}  // namespace

LaneRng::LaneRng(Streams streams, size_t lanes)
    : key_(streams.key), first_(streams.first), lanes_(lanes) {
  if (streams.ids) ids_.assign(streams.ids, streams.ids + lanes);
}

LaneRng LaneRng::at(std::span<const int64_t> lanes) const {
  std::vector<uint64_t> chosen(lanes.size());
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i] < 0 || static_cast<size_t>(lanes[i]) >= lanes_)
      throw Error("a lane of a random stream is out of range: " + std::to_string(lanes[i]));
    chosen[i] = id(static_cast<size_t>(lanes[i]));
  }
  LaneRng out({key_, 0, chosen.data()}, chosen.size());
  out.position_ = position_;
  return out;
}

Rng LaneRng::scalar(size_t lane) const {
  Rng rng(key_, id(lane));
  for (uint64_t i = 0; i < position_; ++i) rng.bits32();
  return rng;
}

void LaneRng::fill(uint64_t block) {
  words_.resize(4 * lanes_);
  uint64_t ids[kStrip];
  for (size_t begin = 0; begin < lanes_; begin += kStrip) {
    const size_t n = std::min(kStrip, lanes_ - begin);
    for (size_t i = 0; i < n; ++i) ids[i] = id(begin + i);
    uint32_t* w = words_.data() + begin;
    uint32_t* const out[4] = {w, w + lanes_, w + 2 * lanes_, w + 3 * lanes_};
    philox(key_, static_cast<uint32_t>(block), ids, n, out);
  }
  block_ = block;
}

std::span<const uint32_t> LaneRng::bits32() {
  if (position_ / 4 != block_) fill(position_ / 4);
  return {words_.data() + (position_++ % 4) * lanes_, lanes_};
}

void LaneRng::uniform(std::span<double> out) {
  const std::span<const uint32_t> bits = bits32();
  for (size_t i = 0; i < lanes_; ++i) out[i] = bits[i] * 0x1p-32;
}

void LaneRng::uniform_float(std::span<float> out) {
  const std::span<const uint32_t> bits = bits32();
  for (size_t i = 0; i < lanes_; ++i) out[i] = static_cast<float>(bits[i] >> 8) * 0x1p-24f;
}

void LaneRng::normal(std::span<double> out) {
  const std::span<const uint32_t> bits = bits32();
  // The centre for all of them in vector units; the tails, about one in seven, again by themselves.
  for (size_t i = 0; i < lanes_; ++i) out[i] = quantile_centre((bits[i] + 0.5) * 0x1p-32 - 0.5);
  for (size_t i = 0; i < lanes_; ++i) {
    const double u = (bits[i] + 0.5) * 0x1p-32;
    if (!(std::abs(u - 0.5) <= kQuantileCentre)) out[i] = quantile_tail(u);
  }
}

}  // namespace penumbra

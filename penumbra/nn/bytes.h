// Bytes of saved networks. Everything is little-endian whatever the machine. A sealed buffer is
//   magic "penumbra" (8) | kind (4) | version (4) | payload length (8) | payload | CRC-32C (4)
// with the checksum over all that precedes it: every change of up to four neighbouring bytes, and
// every truncation or extension, is refused with an Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra::nn {

using Bytes = std::vector<std::byte>;

class ByteWriter {
 public:
  void u32(uint32_t value);
  void u64(uint64_t value);
  void i32(int32_t value) { u32(static_cast<uint32_t>(value)); }
  void f32(float value);
  void f64(double value);
  void text(std::string_view value);
  void floats(std::span<const float> values);  // length first
  void doubles(std::span<const double> values);
  void ints(std::span<const int> values);

  void reserve(size_t more) { bytes_.reserve(bytes_.size() + more); }
  const Bytes& bytes() const { return bytes_; }

 private:
  void as_they_are(std::span<const std::byte> bytes);

  Bytes bytes_;
};

// Reads what ByteWriter wrote; running out of bytes is an Error.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint32_t u32();
  uint64_t u64();
  int32_t i32() { return static_cast<int32_t>(u32()); }
  float f32();
  double f64();
  std::string text();
  std::vector<float> floats();
  std::vector<double> doubles();
  std::vector<int> ints();
  // Refuses bytes that nobody asked for.
  void finish() const;

 private:
  std::span<const std::byte> take(size_t count);
  size_t length(size_t item_bytes);

  std::span<const std::byte> bytes_;
};

// The checksum of bytes that come piece by piece.
class Crc32c {
 public:
  void add(std::span<const std::byte> bytes);
  uint32_t value() const { return ~crc_; }

 private:
  uint32_t crc_ = ~0u;
};

uint32_t crc32c(std::span<const std::byte> bytes);

// What is inside a sealed buffer.
enum class Kind : uint32_t { kMlp = 1, kNetworkSet = 2, kFeatureMap = 3, kHeads = 4, kBank = 5 };

Bytes seal(Kind kind, uint32_t version, const ByteWriter& payload);
// The payload of a sealed buffer of this kind and a version up to `newest`.
ByteReader open_sealed(std::span<const std::byte> bytes, Kind kind, uint32_t newest);

}  // namespace penumbra::nn

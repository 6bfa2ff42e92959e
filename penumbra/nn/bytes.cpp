#include "penumbra/nn/bytes.h"

#include <algorithm>
#include <array>
#include <bit>

#include "penumbra/base/error.h"

namespace penumbra::nn {
namespace {

constexpr std::string_view kMagic = "penumbra";
constexpr size_t kHeaderBytes = 24, kChecksumBytes = 4;
constexpr bool kLittleEndian = std::endian::native == std::endian::little;

// table[0] is the checksum of one byte; table[k] of one byte and k zeros, so that eight bytes are
// done at once.
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0x82f63b78u : 0u);
    table[0][i] = value;
  }
  for (uint32_t i = 0; i < 256; ++i)
    for (int k = 1; k < 8; ++k)
      table[k][i] = table[0][table[k - 1][i] & 0xff] ^ table[k - 1][i] >> 8;
  return table;
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error("saved network: " + what + "; save it again or use an intact copy");
}

}  // namespace

void Crc32c::add(std::span<const std::byte> bytes) {
  static constexpr Tables kTable = make_tables();
  uint32_t crc = crc_;
  size_t i = 0;
  auto at = [&](size_t k) { return static_cast<uint32_t>(bytes[i + k]); };
  for (; i + 8 <= bytes.size(); i += 8) {
    crc ^= at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24;
    crc = kTable[7][crc & 0xff] ^ kTable[6][crc >> 8 & 0xff] ^ kTable[5][crc >> 16 & 0xff] ^
          kTable[4][crc >> 24] ^ kTable[3][at(4)] ^ kTable[2][at(5)] ^ kTable[1][at(6)] ^
          kTable[0][at(7)];
  }
  for (; i < bytes.size(); ++i) crc = kTable[0][(crc ^ at(0)) & 0xff] ^ crc >> 8;
  crc_ = crc;
}

uint32_t crc32c(std::span<const std::byte> bytes) {
  Crc32c crc;
  crc.add(bytes);
  return crc.value();
}

void ByteWriter::u32(uint32_t value) {
  std::array<std::byte, 4> raw;
  for (int i = 0; i < 4; ++i) raw[i] = static_cast<std::byte>(value >> 8 * i);
  bytes_.insert(bytes_.end(), raw.begin(), raw.end());
}

void ByteWriter::u64(uint64_t value) {
  u32(static_cast<uint32_t>(value));
  u32(static_cast<uint32_t>(value >> 32));
}

void ByteWriter::f32(float value) {
  u32(std::bit_cast<uint32_t>(value));
}
void ByteWriter::f64(double value) {
  u64(std::bit_cast<uint64_t>(value));
}

void ByteWriter::as_they_are(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void ByteWriter::text(std::string_view value) {
  u64(value.size());
  as_they_are(std::as_bytes(std::span(value)));
}

void ByteWriter::floats(std::span<const float> values) {
  u64(values.size());
  if constexpr (kLittleEndian) return as_they_are(std::as_bytes(values));
  for (float v : values) f32(v);
}

void ByteWriter::doubles(std::span<const double> values) {
  u64(values.size());
  if constexpr (kLittleEndian) return as_they_are(std::as_bytes(values));
  for (double v : values) f64(v);
}

void ByteWriter::ints(std::span<const int> values) {
  u64(values.size());
  if constexpr (kLittleEndian) return as_they_are(std::as_bytes(values));
  for (int v : values) i32(v);
}

std::span<const std::byte> ByteReader::take(size_t count) {
  if (count > bytes_.size()) refuse("it ends too early");
  const auto taken = bytes_.first(count);
  bytes_ = bytes_.subspan(count);
  return taken;
}

// A length is checked against the bytes that are left before anything is allocated.
size_t ByteReader::length(size_t item_bytes) {
  const uint64_t count = u64();
  if (count > bytes_.size() / item_bytes) refuse("a length runs past its end");
  return count;
}

uint32_t ByteReader::u32() {
  const auto raw = take(4);
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= static_cast<uint32_t>(raw[i]) << 8 * i;
  return value;
}

uint64_t ByteReader::u64() {
  const uint64_t low = u32();
  return low | uint64_t{u32()} << 32;
}

float ByteReader::f32() {
  return std::bit_cast<float>(u32());
}
double ByteReader::f64() {
  return std::bit_cast<double>(u64());
}

std::string ByteReader::text() {
  const auto raw = take(length(1));
  return std::string(reinterpret_cast<const char*>(raw.data()), raw.size());
}

std::vector<float> ByteReader::floats() {
  std::vector<float> values(length(4));
  if constexpr (kLittleEndian)
    std::ranges::copy(take(4 * values.size()), std::as_writable_bytes(std::span(values)).data());
  else
    for (float& v : values) v = f32();
  return values;
}

std::vector<double> ByteReader::doubles() {
  std::vector<double> values(length(8));
  if constexpr (kLittleEndian)
    std::ranges::copy(take(8 * values.size()), std::as_writable_bytes(std::span(values)).data());
  else
    for (double& v : values) v = f64();
  return values;
}

std::vector<int> ByteReader::ints() {
  std::vector<int> values(length(4));
  if constexpr (kLittleEndian)
    std::ranges::copy(take(4 * values.size()), std::as_writable_bytes(std::span(values)).data());
  else
    for (int& v : values) v = i32();
  return values;
}

void ByteReader::finish() const {
  if (!bytes_.empty()) refuse(std::to_string(bytes_.size()) + " bytes too many");
}

Bytes seal(Kind kind, uint32_t version, const ByteWriter& payload) {
  ByteWriter header;
  header.u32(static_cast<uint32_t>(kind));
  header.u32(version);
  header.u64(payload.bytes().size());
  Bytes out;
  out.reserve(kHeaderBytes + payload.bytes().size() + kChecksumBytes);
  for (char c : kMagic) out.push_back(static_cast<std::byte>(c));
  out.insert(out.end(), header.bytes().begin(), header.bytes().end());
  out.insert(out.end(), payload.bytes().begin(), payload.bytes().end());
  ByteWriter checksum;
  checksum.u32(crc32c(out));
  out.insert(out.end(), checksum.bytes().begin(), checksum.bytes().end());
  return out;
}

ByteReader open_sealed(std::span<const std::byte> bytes, Kind kind, uint32_t newest) {
  if (bytes.size() < kHeaderBytes + kChecksumBytes) refuse("it is shorter than a header");
  for (size_t i = 0; i < kMagic.size(); ++i) {
    if (bytes[i] != static_cast<std::byte>(kMagic[i])) refuse("it does not start as one");
  }
  const auto body = bytes.first(bytes.size() - kChecksumBytes);
  if (ByteReader(bytes.last(kChecksumBytes)).u32() != crc32c(body)) refuse("checksum mismatch");
  ByteReader header(body.subspan(kMagic.size(), kHeaderBytes - kMagic.size()));
  const uint32_t found = header.u32(), version = header.u32();
  const uint64_t length = header.u64();
  if (found != static_cast<uint32_t>(kind)) {
    refuse("it holds kind " + std::to_string(found) + " where kind " +
           std::to_string(static_cast<uint32_t>(kind)) + " was expected");
  }
  if (version == 0 || version > newest) {
    throw Error("saved network: version " + std::to_string(version) +
                " is not known here (newest: " + std::to_string(newest) +
                "); read it with a newer Penumbra");
  }
  if (length != body.size() - kHeaderBytes) refuse("its length is wrong");
  return ByteReader(body.subspan(kHeaderBytes));
}

}  // namespace penumbra::nn

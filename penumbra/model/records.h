// Arrays of fixed-size, trivially copyable records: how states, observations and actions cross
// between models and solvers. Records can be copied, compared, hashed, sent and saved as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace penumbra {

// Records may begin at any multiple of this: buffers of bytes guarantee more, but a record may lie
// behind others of another type (macro_pomdp.h), so types that ask for more are refused (model.h).
inline constexpr size_t kRecordAlignment = 8;

struct ConstRecords {
  const std::byte* data = nullptr;
  size_t size = 0;   // bytes per record
  size_t count = 0;  // records

  const std::byte* at(size_t i) const { return data + i * size; }
  template <class T>
  const T& as(size_t i) const {
    return *reinterpret_cast<const T*>(at(i));
  }
  ConstRecords sub(size_t begin, size_t n) const { return {at(begin), size, n}; }
};

struct Records {
  std::byte* data = nullptr;
  size_t size = 0;
  size_t count = 0;

  std::byte* at(size_t i) const { return data + i * size; }
  template <class T>
  T& as(size_t i) const {
    return *reinterpret_cast<T*>(at(i));
  }
  Records sub(size_t begin, size_t n) const { return {at(begin), size, n}; }
  operator ConstRecords() const { return {data, size, count}; }
};

// Most records are one word: without a call then.
inline void copy_record(std::byte* to, const std::byte* from, size_t size) {
  if (size == 8)
    std::memcpy(to, from, 8);
  else
    std::memcpy(to, from, size);
}
inline bool same_record(const std::byte* a, const std::byte* b, size_t size) {
  return size == 8 ? std::memcmp(a, b, 8) == 0 : std::memcmp(a, b, size) == 0;
}

// Records that own their memory.
class RecordBuffer {
 public:
  RecordBuffer() = default;
  explicit RecordBuffer(size_t record_size, size_t count = 0)
      : size_(record_size), bytes_(record_size * count) {}

  size_t record_size() const { return size_; }
  size_t count() const { return size_ ? bytes_.size() / size_ : 0; }
  bool empty() const { return bytes_.empty(); }
  void resize(size_t count) { bytes_.resize(count * size_); }
  void clear() { bytes_.clear(); }
  void push_back(const std::byte* record) { append({record, size_, 1}); }
  // Not from this buffer itself.
  void append(ConstRecords r) {
    const size_t before = bytes_.size(), more = r.size * r.count;
    bytes_.resize(before + more);
    if (more > 0) std::memcpy(bytes_.data() + before, r.data, more);
  }

  std::byte* at(size_t i) { return bytes_.data() + i * size_; }
  const std::byte* at(size_t i) const { return bytes_.data() + i * size_; }
  template <class T>
  T& as(size_t i) {
    return *reinterpret_cast<T*>(at(i));
  }
  template <class T>
  const T& as(size_t i) const {
    return *reinterpret_cast<const T*>(at(i));
  }
  void copy_from(size_t i, const std::byte* record) { copy_record(at(i), record, size_); }

  Records view() { return {bytes_.data(), size_, count()}; }
  ConstRecords view() const { return {bytes_.data(), size_, count()}; }
  operator Records() { return view(); }
  operator ConstRecords() const { return view(); }
  Records sub(size_t begin, size_t n) { return view().sub(begin, n); }
  ConstRecords sub(size_t begin, size_t n) const { return view().sub(begin, n); }
  bool operator==(const RecordBuffer&) const = default;

 private:
  size_t size_ = 0;
  std::vector<std::byte> bytes_;
};

// A 64-bit hash of a record's bytes: the same on every machine of one byte order.
inline uint64_t hash_record(const std::byte* record, size_t size) {
  uint64_t h = 0x9e3779b97f4a7c15u ^ size;
  auto stir = [&h](uint64_t word) {
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  };
  for (; size >= 8; size -= 8, record += 8) {
    uint64_t word;
    std::memcpy(&word, record, 8);
    stir(word);
  }
  uint64_t rest = 0;
  if (size > 0) std::memcpy(&rest, record, size);  // nothing may be at no address
  stir(rest);
  return h;
}

// Observations of a finite set cross as records of one int.
inline int index_of(ConstRecords seen, size_t i) {
  return seen.as<int32_t>(i);
}

}  // namespace penumbra

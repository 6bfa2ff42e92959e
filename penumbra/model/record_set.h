// Distinct records in order of first appearance: equal states are stored and evaluated once.
#pragma once

#include <bit>
#include <cstring>
#include <vector>

#include "penumbra/model/records.h"

namespace penumbra {

class RecordSet {
 public:
  explicit RecordSet(size_t record_size, size_t expected = 0)
      : records_(record_size), slots_(std::bit_ceil(2 * expected + 16), -1) {}

  // The number of this record, new or not.
  int insert(const std::byte* record) {
    const size_t size = records_.record_size(), mask = slots_.size() - 1;
    const uint64_t hash = hash_record(record, size);
    size_t slot = hash & mask;
    for (; slots_[slot] >= 0; slot = (slot + 1) & mask) {
      const int found = slots_[slot];
      if (hashes_[found] == hash && std::memcmp(records_.at(found), record, size) == 0)
        return found;
    }
    const int number = count();
    slots_[slot] = number;
    hashes_.push_back(hash);
    records_.push_back(record);
    if (hashes_.size() * 2 > slots_.size()) grow();
    return number;
  }
  int count() const { return static_cast<int>(hashes_.size()); }
  const RecordBuffer& records() const { return records_; }
  RecordBuffer take() { return std::move(records_); }

 private:
  void grow() {
    slots_.assign(slots_.size() * 2, -1);
    const size_t mask = slots_.size() - 1;
    for (size_t i = 0; i < hashes_.size(); ++i) {
      size_t slot = hashes_[i] & mask;
      while (slots_[slot] >= 0) slot = (slot + 1) & mask;
      slots_[slot] = static_cast<int32_t>(i);
    }
  }

  RecordBuffer records_;
  std::vector<uint64_t> hashes_;
  std::vector<int32_t> slots_;  // a power of two of them, at most half full
};

}  // namespace penumbra

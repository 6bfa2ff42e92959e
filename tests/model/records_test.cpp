#include "penumbra/model/records.h"

#include <gtest/gtest.h>

#include <set>

#include "penumbra/base/rng.h"

namespace penumbra {
namespace {

TEST(Records, HashIsStableAndKnowsTheLength) {
  const std::vector<std::byte> zeros(24);
  std::set<uint64_t> hashes;
  for (size_t size = 0; size <= zeros.size(); ++size)
    hashes.insert(hash_record(zeros.data(), size));
  EXPECT_EQ(hashes.size(), zeros.size() + 1);
  const uint64_t word = 0x0123456789abcdefu;
  EXPECT_EQ(hash_record(reinterpret_cast<const std::byte*>(&word), 8), 0x5667c677b0bae487u);
}

TEST(Records, HashNoticesEveryBit) {
  std::vector<std::byte> record(13);
  std::set<uint64_t> hashes;
  for (size_t bit = 0; bit < 8 * record.size(); ++bit) {
    record[bit / 8] ^= std::byte(1 << (bit % 8));
    hashes.insert(hash_record(record.data(), record.size()));
    record[bit / 8] ^= std::byte(1 << (bit % 8));
  }
  EXPECT_EQ(hashes.size(), 8 * record.size());
}

TEST(Records, HashScattersSmallNumbers) {
  std::set<uint32_t> buckets;
  for (int i = 0; i < 10'000; ++i)
    buckets.insert(hash_record(reinterpret_cast<const std::byte*>(&i), sizeof i) >> 32);
  EXPECT_GT(buckets.size(), 9'990);
}

TEST(RecordBuffer, PushCopyAppendAndSub) {
  RecordBuffer a(sizeof(int));
  for (int i : {1, 2, 3}) a.push_back(reinterpret_cast<const std::byte*>(&i));
  RecordBuffer b(sizeof(int), 1);
  b.copy_from(0, a.at(2));
  b.append(a.sub(0, 2));
  ASSERT_EQ(b.count(), 3);
  EXPECT_EQ(b.as<int>(0), 3);
  EXPECT_EQ(b.sub(1, 2).as<int>(1), 2);
}

TEST(RecordBuffer, RecordsMayBeEmpty) {
  RecordBuffer none(0, 5);
  EXPECT_EQ(none.count(), 0);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace penumbra

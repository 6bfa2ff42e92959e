#include "penumbra/io/checkpoint_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "penumbra/base/error.h"
#include "tests/folder.h"

using namespace penumbra;
using testing::HasSubstr;

namespace {

// A disk on which something goes wrong.
struct BrokenDisk final : FileCalls {
  enum Fault { kNone, kFull, kShortWrites, kNoSync, kNoRename, kNoRead } fault = kNone;
  size_t room = 1000;  // bytes until it is full

  ssize_t write(int file, const void* bytes, size_t count) const override {
    if (fault == kShortWrites) return FileCalls::write(file, bytes, std::min<size_t>(count, 7));
    if (fault != kFull) return FileCalls::write(file, bytes, count);
    const auto at = static_cast<size_t>(lseek(file, 0, SEEK_CUR));
    if (at < room) return FileCalls::write(file, bytes, std::min(count, room - at));
    errno = ENOSPC;
    return -1;
  }
  int sync(int file) const override {
    if (fault != kNoSync) return FileCalls::sync(file);
    errno = EIO;
    return -1;
  }
  int rename(const std::string& from, const std::string& to) const override {
    if (fault != kNoRename) return FileCalls::rename(from, to);
    errno = EDQUOT;
    return -1;
  }
  ssize_t read(int file, void* bytes, size_t count) const override {
    if (fault != kNoRead) return FileCalls::read(file, bytes, count);
    errno = EIO;
    return -1;
  }
};

void write(CheckpointPair& pair, int value) {
  CheckpointHeader header;
  header.solver = "nvi";
  std::vector<int> state(10'000, value);
  pair.write(header, [&](Saver& save) { save(state); });
}

int read(const std::string& folder, std::string* damaged = nullptr) {
  CheckpointPair pair(folder);
  if (!pair.newest(damaged)) return -1;
  std::vector<int> state;
  pair.read_state([&](Loader& load) { load(state); });
  return state.at(9'999);
}

}  // namespace

TEST(CheckpointFile, TheNewestOfTwoIsRead) {
  const Folder folder;
  CheckpointPair pair(folder.path);
  EXPECT_EQ(read(folder.path), -1);
  for (int value : {1, 2, 3, 4}) {
    write(pair, value);
    EXPECT_EQ(read(folder.path), value);
  }
  const std::filesystem::directory_iterator files(folder.path);
  EXPECT_EQ(std::distance(begin(files), end(files)), 2);
}

TEST(CheckpointFile, ANewProcessReplacesTheOlderOne) {
  const Folder folder;
  for (int value : {1, 2, 3}) {
    CheckpointPair pair(folder.path);
    pair.newest();
    write(pair, value);
  }
  EXPECT_EQ(read(folder.path), 3);
  std::filesystem::remove(folder.path + "/checkpoint-a");  // the third
  EXPECT_EQ(read(folder.path), 2);
}

TEST(CheckpointFile, AFailedWriteLeavesTheOldOnes) {
  for (const auto fault : {BrokenDisk::kFull, BrokenDisk::kNoSync, BrokenDisk::kNoRename}) {
    const Folder folder;
    BrokenDisk disk;
    CheckpointPair pair(folder.path, disk);
    write(pair, 1);
    write(pair, 2);
    for (const size_t room : {0, 1, 20, 1000, 30'000}) {
      disk.fault = fault;
      disk.room = room;
      EXPECT_THROW(write(pair, 3), Error);
      EXPECT_EQ(read(folder.path), 2);
      for (const auto& file : std::filesystem::directory_iterator(folder.path))
        EXPECT_NE(file.path().extension(), ".tmp");
    }
    disk.fault = BrokenDisk::kNone;  // somebody made room
    write(pair, 4);
    EXPECT_EQ(read(folder.path), 4);
  }
}

TEST(CheckpointFile, ShortWritesAreContinued) {
  const Folder folder;
  BrokenDisk disk;
  disk.fault = BrokenDisk::kShortWrites;
  CheckpointPair pair(folder.path, disk);
  write(pair, 5);
  EXPECT_EQ(read(folder.path), 5);
}

TEST(CheckpointFile, ADamagedOneIsPassedOverAndNamed) {
  const Folder folder;
  CheckpointPair pair(folder.path);
  write(pair, 1);
  write(pair, 2);
  const std::string newest = folder.path + "/checkpoint-b";
  std::fstream file(newest, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(20'000);
  file.put('x');
  file.close();
  std::string damaged;
  EXPECT_EQ(read(folder.path, &damaged), 1);
  EXPECT_THAT(damaged, HasSubstr("checkpoint-b: its checksum is wrong"));
}

TEST(CheckpointFile, EveryCutIsPassedOver) {
  const Folder folder;
  CheckpointPair pair(folder.path);
  write(pair, 1);
  write(pair, 2);
  const std::string newest = folder.path + "/checkpoint-b";
  const auto size = std::filesystem::file_size(newest);
  for (auto cut = size - 1; cut > 0; cut = cut * 2 / 3) {
    std::filesystem::resize_file(newest, cut);
    EXPECT_EQ(read(folder.path), 1) << cut;
  }
}

// The newest is refused by name, whatever was done to it; the other one is read.
bool passed_over(const std::string& folder) {
  std::string damaged;
  CheckpointPair pair(folder);
  const auto found = pair.newest(&damaged);
  return found && found->number == 1 && damaged.find("checkpoint-b: ") != std::string::npos;
}

TEST(CheckpointDamage, EveryOtherValueOfEverySingleByteIsPassedOver) {
  const Folder folder;
  CheckpointPair pair(folder.path);
  CheckpointHeader header{0, "penumbra", "nvi", "tiger", {0.95, 3, 2}, "[solve]\n"};
  std::vector<int> state = {3, 1, 4};
  for (int i = 0; i < 2; ++i) pair.write(header, [&](Saver& save) { save(state); });
  const std::string newest = folder.path + "/checkpoint-b";
  const auto size = static_cast<long>(std::filesystem::file_size(newest));
  const int file = ::open(newest.c_str(), O_RDWR);
  ASSERT_GE(file, 0);
  for (long at = 0; at < size; ++at) {
    unsigned char good = 0;
    ASSERT_EQ(::pread(file, &good, 1, at), 1);
    for (int change = 1; change < 256; ++change) {
      const auto bad = static_cast<unsigned char>(good ^ change);
      ASSERT_EQ(::pwrite(file, &bad, 1, at), 1);
      ASSERT_TRUE(passed_over(folder.path)) << "byte " << at << " changed by " << change;
    }
    ASSERT_EQ(::pwrite(file, &good, 1, at), 1);
  }
  EXPECT_FALSE(passed_over(folder.path));
  ::close(file);
}

TEST(CheckpointDamage, TenThousandTruncationsArePassedOver) {
  const Folder folder;
  CheckpointPair pair(folder.path);
  write(pair, 1);
  write(pair, 2);
  const std::string newest = folder.path + "/checkpoint-b";
  const auto size = std::filesystem::file_size(newest);
  ASSERT_GT(size, 40'000);
  for (uint64_t i = 1; i <= 10'000; ++i) {
    std::filesystem::resize_file(newest, size - i * size / 10'001 - 1);
    ASSERT_TRUE(passed_over(folder.path)) << "cut " << i;
  }
}

TEST(CheckpointFile, AReadErrorIsToldAndHarmsNothing) {
  const Folder folder;
  BrokenDisk disk;
  CheckpointPair pair(folder.path, disk);
  write(pair, 1);
  disk.fault = BrokenDisk::kNoRead;
  try {
    pair.newest();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("Input/output error"));
  }
  EXPECT_EQ(read(folder.path), 1);
}

#include "penumbra/io/checkpoint_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "penumbra/base/error.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/nn/bytes.h"

namespace penumbra {
namespace {

constexpr std::array<char, 8> kMagic = {'P', 'N', 'M', 'B', 'R', 'C', 'K', 'P'};
constexpr uint32_t kVersion = 1;
constexpr uint64_t kFrameBytes = 8 + 4 + 4;  // magic, version, checksum
constexpr size_t kBufferBytes = 1 << 18;

class CountingSink final : public ByteSink {
 public:
  explicit CountingSink(ByteSink& to) : to_(to) {}
  void write(std::span<const std::byte> bytes) override {
    crc_.add(bytes);
    count_ += bytes.size();
    to_.write(bytes);
  }
  uint32_t checksum() const { return crc_.value(); }
  uint64_t count() const { return count_; }

 private:
  ByteSink& to_;
  nn::Crc32c crc_;
  uint64_t count_ = 0;
};

class FileSource final : public ByteSource {
 public:
  FileSource(const std::string& path, const FileCalls& calls)
      : path_(path), calls_(calls), file_(calls.open(path, O_RDONLY)) {
    struct stat facts = {};
    if (file_ < 0 || ::fstat(file_, &facts) != 0) fail(std::strerror(errno));
    size_ = left_ = static_cast<uint64_t>(facts.st_size);
    if (size_ < kFrameBytes) fail("it is shorter than the frame of a checkpoint");
    buffer_.resize(std::min<uint64_t>(size_, kBufferBytes));
  }
  ~FileSource() override {
    if (file_ >= 0) ::close(file_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  void read(std::span<std::byte> out) override {
    if (out.size() > left_) fail("it ends too early");
    left_ -= out.size();
    while (!out.empty()) {
      if (at_ == filled_) refill();
      const size_t n = std::min(out.size(), filled_ - at_);
      std::memcpy(out.data(), buffer_.data() + at_, n);
      out = out.subspan(n);
      at_ += n;
    }
  }
  uint64_t left() const override { return left_; }
  void leave_out(uint64_t bytes) { left_ -= bytes; }  // at the end

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("checkpoint {}: {}", path_, what));
  }

 private:
  void refill() {
    ssize_t n;
    do n = calls_.read(file_, buffer_.data(), buffer_.size());
    while (n < 0 && errno == EINTR);
    if (n < 0) fail(std::strerror(errno));
    if (n == 0) fail("it ends too early");
    filled_ = static_cast<size_t>(n);
    at_ = 0;
  }

  std::string path_;
  const FileCalls& calls_;
  int file_;
  uint64_t size_ = 0, left_ = 0;
  std::vector<std::byte> buffer_;
  size_t at_ = 0, filled_ = 0;
};

std::string slot_path(const std::string& folder, int slot) {
  return folder + (slot == 0 ? "/checkpoint-a" : "/checkpoint-b");
}

// Reads the header; the source then stands at the state, the checksum left out.
CheckpointHeader read_header(FileSource& file) {
  Loader load(file);
  std::array<char, 8> magic;
  uint32_t version;
  for (char& c : magic) load(c);
  if (magic != kMagic) file.fail("it does not start as a checkpoint");
  load(version);
  if (version != kVersion)
    file.fail(fmt::format("version {} is not known here (known: {})", version, kVersion));
  file.leave_out(4);
  CheckpointHeader header;
  load(header);
  return header;
}

// Before anything in it is believed.
void verify(const std::string& path, const FileCalls& calls) {
  FileSource file(path, calls);
  nn::Crc32c crc;
  std::vector<std::byte> block(std::min<uint64_t>(file.left(), kBufferBytes));
  while (file.left() > 4) {
    const auto part = std::span(block).first(std::min<uint64_t>(block.size(), file.left() - 4));
    file.read(part);
    crc.add(part);
  }
  uint32_t checksum;
  Loader load(file);
  load(checksum);
  if (checksum != crc.value()) file.fail("its checksum is wrong: it is damaged or cut");
}

}  // namespace

CheckpointPair::CheckpointPair(std::string folder, const FileCalls& calls)
    : folder_(std::move(folder)), calls_(calls) {}

std::optional<CheckpointHeader> CheckpointPair::newest(std::string* damaged) {
  std::optional<CheckpointHeader> best;
  std::string problems;
  for (int slot = 0; slot < 2; ++slot) {
    const std::string path = slot_path(folder_, slot);
    if (::access(path.c_str(), F_OK) != 0) continue;
    try {
      verify(path, calls_);
      FileSource file(path, calls_);
      const CheckpointHeader header = read_header(file);
      if (best && header.number < best->number) continue;
      best = header;
      newest_slot_ = slot;
      number_ = header.number;
    } catch (const Error& error) {
      problems += (problems.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  if (!best && !problems.empty()) throw Error(problems);
  if (damaged) *damaged = problems;
  return best;
}

void CheckpointPair::read_state(const std::function<void(Loader&)>& read) const {
  FileSource file(slot_path(folder_, newest_slot_), calls_);
  read_header(file);
  Loader loader(file);
  read(loader);
  if (file.left() > 0) file.fail(fmt::format("{} bytes too many", file.left()));
}

void CheckpointPair::write(CheckpointHeader& header, const std::function<void(Saver&)>& state) {
  const int slot = newest_slot_ == 0 ? 1 : 0;
  header.number = number_ + 1;
  ReplacingFile file(slot_path(folder_, slot), calls_);
  CountingSink sink(file);
  Saver saver(sink);
  for (char c : kMagic) saver(c);
  uint32_t version = kVersion;
  saver(version, header);
  state(saver);
  uint32_t checksum = sink.checksum();
  saver(checksum);
  file.commit();
  newest_slot_ = slot;
  number_ = header.number;
  bytes_written_ = sink.count();
}

}  // namespace penumbra

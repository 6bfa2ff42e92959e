#include "penumbra/io/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

namespace fs = std::filesystem;
constexpr size_t kBufferBytes = 1 << 18;
constexpr std::string_view kEnding = ".tmp";

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "host";
}

// Processes on one folder, also on several machines, must not write into each other's file.
std::string beside(const std::string& path) {
  static std::atomic<unsigned> number{0};
  return fmt::format("{}.{}.{}.{}{}", path, host_name(), ::getpid(), number++, kEnding);
}

// Temporary files of processes of this machine that were killed while they wrote.
void remove_orphans(const std::string& path) {
  const fs::path whole = fs::absolute(path);
  const std::string begin = whole.filename().string() + "." + host_name() + ".";
  std::error_code error;
  for (fs::directory_iterator at(whole.parent_path(), error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(begin) || !name.ends_with(kEnding)) continue;
    pid_t writer = 0;
    std::from_chars(name.data() + begin.size(), name.data() + name.size(), writer);
    if (writer > 0 && ::kill(writer, 0) != 0 && errno == ESRCH) ::unlink(at->path().c_str());
  }
}

bool is_pipe_or_device(const std::string& path) {
  std::error_code error;
  // Also /dev/stdout > file; but the memory of /dev/shm holds files like any other.
  if (path.starts_with("/proc/")) return true;
  if (path.starts_with("/dev/") && !path.starts_with("/dev/shm/")) return true;
  return fs::exists(path, error) && fs::is_other(path, error);
}

// Where a link leads to, also if there is nothing yet.
std::string followed(const std::string& path) {
  fs::path at = path;
  std::error_code error;
  if (is_pipe_or_device(path)) return path;  // the links of /dev/stdout are none to read
  for (int links = 0; links < 40 && fs::is_symlink(at, error); ++links) {
    const fs::path next = fs::read_symlink(at, error);
    if (error) break;
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return at.string();
}

}  // namespace

ReplacingFile::ReplacingFile(std::string path, const FileCalls& calls)
    : path_(followed(path)), calls_(calls) {
  if (is_pipe_or_device(path_)) {
    file_ = calls_.open(path_, O_WRONLY | O_APPEND);
  } else {
    temporary_ = beside(path_);
    remove_orphans(path_);
    file_ = calls_.open(temporary_, O_WRONLY | O_CREAT | O_TRUNC);
  }
  if (file_ < 0) fail("create");
  buffer_.reserve(kBufferBytes);
}

ReplacingFile::~ReplacingFile() {
  if (file_ < 0) return;
  close();
  remove_temporary();
}

void ReplacingFile::remove_temporary() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void ReplacingFile::close() {
  ::close(file_);
  file_ = -1;
}

void ReplacingFile::fail(const char* doing) {
  std::string reason = std::strerror(errno);
  const fs::path folder = fs::absolute(path_).parent_path();
  std::error_code error;
  if (errno == ENOENT && !fs::is_directory(folder, error))
    reason = "there is no folder " + folder.string();
  if (file_ >= 0) close();
  remove_temporary();
  throw Error(fmt::format("cannot {} {}: {}", doing, path_, reason));
}

void ReplacingFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const size_t n = std::min(bytes.size(), kBufferBytes - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<long>(n));
    bytes = bytes.subspan(n);
    if (buffer_.size() == kBufferBytes) flush();
  }
}

void ReplacingFile::flush() {
  for (size_t done = 0; done < buffer_.size();) {
    const ssize_t n = calls_.write(file_, buffer_.data() + done, buffer_.size() - done);
    if (n < 0 && errno != EINTR) fail("write");
    if (n > 0) done += static_cast<size_t>(n);
  }
  buffer_.clear();
}

void ReplacingFile::commit() {
  flush();
  if (temporary_.empty()) return close();
  if (calls_.sync(file_) != 0) fail("write");
  close();
  if (calls_.rename(temporary_, path_) != 0) fail("replace");
  const fs::path folder = fs::absolute(path_).parent_path();
  const int directory = calls_.open(folder, O_RDONLY | O_DIRECTORY);
  if (directory < 0) return;
  calls_.sync(directory);
  ::close(directory);
}

void replace_file(const std::string& path, std::span<const std::byte> bytes) {
  ReplacingFile file(path);
  file.write(bytes);
  file.commit();
}

void replace_file(const std::string& path, const std::string& text) {
  replace_file(path, std::as_bytes(std::span(text)));
}

}  // namespace penumbra

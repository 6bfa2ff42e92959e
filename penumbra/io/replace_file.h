// Writing a file so that a failure leaves the old one alone.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "penumbra/base/archive.h"
#include "penumbra/io/file_calls.h"

namespace penumbra {

// A temporary file beside `path`, which takes its place at commit() and goes away without it. Links
// are followed; what is no file (a pipe, a device) is written to as it is. All throw Error where
// they cannot write.
class ReplacingFile final : public ByteSink {
 public:
  explicit ReplacingFile(std::string path, const FileCalls& calls = system_files());
  ~ReplacingFile() override;
  ReplacingFile(const ReplacingFile&) = delete;
  ReplacingFile& operator=(const ReplacingFile&) = delete;

  void write(std::span<const std::byte> bytes) override;
  // Everything is on the disk, and then under its name.
  void commit();

 private:
  void flush();
  void close();
  void remove_temporary();
  [[noreturn]] void fail(const char* doing);

  std::string path_, temporary_;  // no temporary one where there is nothing to replace
  const FileCalls& calls_;
  int file_ = -1;
  std::vector<std::byte> buffer_;
};

void replace_file(const std::string& path, std::span<const std::byte> bytes);
void replace_file(const std::string& path, const std::string& text);

}  // namespace penumbra

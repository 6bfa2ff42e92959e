// The calls that files are written and read with. Tests give their own, which fail as full disks
// and broken ones do.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace penumbra {

// As the system's calls: -1 and errno where they fail.
class FileCalls {
 public:
  virtual ~FileCalls() = default;
  virtual int open(const std::string& path, int flags) const;
  virtual ssize_t write(int file, const void* bytes, size_t count) const;
  virtual ssize_t read(int file, void* bytes, size_t count) const;
  virtual int sync(int file) const;
  virtual int rename(const std::string& from, const std::string& to) const;
};

const FileCalls& system_files();

}  // namespace penumbra

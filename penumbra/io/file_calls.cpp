#include "penumbra/io/file_calls.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace penumbra {

int FileCalls::open(const std::string& path, int flags) const {
  return ::open(path.c_str(), flags | O_CLOEXEC, 0644);
}
ssize_t FileCalls::write(int file, const void* bytes, size_t count) const {
  return ::write(file, bytes, count);
}
ssize_t FileCalls::read(int file, void* bytes, size_t count) const {
  return ::read(file, bytes, count);
}
int FileCalls::sync(int file) const {
  return ::fsync(file);
}
int FileCalls::rename(const std::string& from, const std::string& to) const {
  return std::rename(from.c_str(), to.c_str());
}

const FileCalls& system_files() {
  static const FileCalls calls;
  return calls;
}

}  // namespace penumbra

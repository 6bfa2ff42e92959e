#include "penumbra/io/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

void replace_file(const std::string& path, std::span<const std::byte> bytes) {
  const std::string temporary = path + ".tmp";
  auto fail = [&](const char* doing) {
    const std::string reason = std::strerror(errno);
    ::unlink(temporary.c_str());
    throw Error(fmt::format("cannot {} {}: {}", doing, path, reason));
  };
  {
    const Descriptor file{
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
    if (file.fd < 0) fail("create");
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t n = ::write(file.fd, bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno != EINTR) fail("write");
      if (n > 0) done += static_cast<size_t>(n);
    }
    if (::fsync(file.fd) != 0) fail("write");
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail("replace");
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  const Descriptor directory{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (directory.fd >= 0) ::fsync(directory.fd);
}

void replace_file(const std::string& path, const std::string& text) {
  replace_file(path, std::as_bytes(std::span(text)));
}

}  // namespace penumbra

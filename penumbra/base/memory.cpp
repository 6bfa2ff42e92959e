#include "penumbra/base/memory.h"

#include <cstdio>
#include <cstring>

namespace penumbra {
namespace {

// A field of /proc/self/status in bytes; 0 where there is no such file.
size_t status_field(const char* name) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (!file) return 0;
  char line[256];
  size_t kilobytes = 0;
  while (std::fgets(line, sizeof line, file))
    if (std::strncmp(line, name, std::strlen(name)) == 0)
      std::sscanf(line + std::strlen(name), "%zu", &kilobytes);
  std::fclose(file);
  return kilobytes * 1024;
}

}  // namespace

size_t resident_bytes() {
  return status_field("VmRSS:");
}
size_t peak_resident_bytes() {
  return status_field("VmHWM:");
}

}  // namespace penumbra

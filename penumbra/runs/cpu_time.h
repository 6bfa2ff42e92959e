// Seconds of processor time that this process has used, over all its threads.
#pragma once

#include <sys/resource.h>

namespace penumbra {

inline double cpu_seconds() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace penumbra

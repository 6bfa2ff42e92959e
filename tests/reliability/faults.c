/* Preloaded into the program by faults.sh: a disk that fills up and a clock that jumps.
     FAULT_ROOM=N        regular files take N bytes in all, then there is no space left
     FAULT_CLOCK=N       the time of day is off by up to N seconds, anew at every look
   What is steady (CLOCK_MONOTONIC) stays as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long room(void) {
  static long long left = -2; /* -1: no limit */
  if (left == -2) {
    const char* text = getenv("FAULT_ROOM");
    left = text ? atoll(text) : -1;
  }
  return left;
}
static long long used;

static long long take(int file, size_t count) {
  struct stat what;
  if (room() < 0 || fstat(file, &what) != 0 || !S_ISREG(what.st_mode)) return (long long)count;
  const long long left = room() - __atomic_load_n(&used, __ATOMIC_RELAXED);
  const long long n = left < (long long)count ? left : (long long)count;
  if (n > 0) __atomic_add_fetch(&used, n, __ATOMIC_RELAXED);
  return n > 0 ? n : 0;
}

ssize_t write(int file, const void* bytes, size_t count) {
  static ssize_t (*next)(int, const void*, size_t);
  if (!next) next = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  const long long n = take(file, count);
  if (n == 0 && count > 0) {
    errno = ENOSPC;
    return -1;
  }
  return next(file, bytes, (size_t)n);
}

static time_t jump(void) {
  static unsigned long long state = 88172645463325252ULL;
  const char* text = getenv("FAULT_CLOCK");
  if (!text) return 0;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  const long long most = atoll(text);
  return (time_t)((long long)(state % (unsigned long long)(2 * most + 1)) - most);
}

int clock_gettime(clockid_t clock, struct timespec* out) {
  static int (*next)(clockid_t, struct timespec*);
  if (!next) next = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int result = next(clock, out);
  if (clock == CLOCK_REALTIME) out->tv_sec += jump();
  return result;
}
time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
int gettimeofday(struct timeval* out, void* zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

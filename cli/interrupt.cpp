#include "cli/interrupt.h"

#include <time.h>

#include <atomic>
#include <csignal>

namespace penumbra::cli {
namespace {

// Programs such as timeout send a signal to the process and to its group: two at once are one.
constexpr long kSameMilliseconds = 500;

std::atomic<long> first_at{0};  // milliseconds; 0: none came yet
static_assert(std::atomic<long>::is_always_lock_free);

long now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);  // safe in a handler
  return t.tv_sec * 1000 + t.tv_nsec / 1'000'000 + 1;
}

extern "C" void handle(int signal) {
  long none = 0;
  const long at = now();
  if (first_at.compare_exchange_strong(none, at) || at - none < kSameMilliseconds) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::atomic<bool> checkpoint_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void handle_request(int) {
  checkpoint_asked.store(true, std::memory_order_relaxed);
}

}  // namespace

void catch_checkpoint_requests() {
  struct sigaction action = {};
  action.sa_handler = handle_request;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

bool take_checkpoint_request() {
  return checkpoint_asked.exchange(false, std::memory_order_relaxed);
}

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return first_at.load(std::memory_order_relaxed) != 0;
}

}  // namespace penumbra::cli

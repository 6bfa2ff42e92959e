#include "cli/interrupt.h"

#include <csignal>

namespace penumbra::cli {
namespace {

volatile std::sig_atomic_t flag = 0;

extern "C" void set_flag(int) {
  flag = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = set_flag;
  action.sa_flags = SA_RESETHAND | SA_RESTART;  // the second signal has its usual effect
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return flag != 0;
}

}  // namespace penumbra::cli

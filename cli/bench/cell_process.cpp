#include "cli/bench/cell_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "penumbra/base/error.h"

namespace penumbra::cli {

CellProcess::CellProcess(const std::vector<std::string>& arguments, const std::string& errors,
                         const cpu_set_t& where)
    : began_(std::chrono::steady_clock::now()) {
  // Everything is ready before the fork: the child only makes system calls.
  std::vector<char*> words = {const_cast<char*>("penumbra")};
  for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  // What a cell does is in the plan alone, not in the environment.
  std::vector<char*> environment;
  for (char** e = environ; *e; ++e)
    if (std::strncmp(*e, "PENUMBRA_", 9) != 0) environment.push_back(*e);
  environment.push_back(nullptr);
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) throw Error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (process_ > 0) return;
  setpgid(0, 0);  // Ctrl-C is for the bench, which passes it on
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  sched_setaffinity(0, sizeof where, &where);
  const int in = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int err = open(errors.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  dup2(in, STDIN_FILENO);
  dup2(in, STDOUT_FILENO);
  dup2(err >= 0 ? err : in, STDERR_FILENO);
  execve("/proc/self/exe", words.data(), environment.data());
  _exit(127);
}

std::optional<int> CellProcess::ended() {
  int status = 0;
  rusage used = {};
  if (wait4(process_, &status, WNOHANG, &used) != process_) return std::nullopt;
  cpu_seconds_ = double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 1e-6 * double(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void CellProcess::send(int signal) const {
  kill(process_, signal);
}

}  // namespace penumbra::cli

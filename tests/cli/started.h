// The program at work in the background: on a terminal of its own, or with its output in a pipe.
#pragma once

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

struct Terminal {
  unsigned short columns = 80, rows = 24;
};

class Started {
 public:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  Started(const std::vector<std::string>& arguments, const Environment& environment = {}) {
    int ends[2];
    if (pipe(ends) != 0) abort();
    if ((pid = fork()) == 0) {
      dup2(ends[1], STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      close(ends[0]);
      close(ends[1]);
      become(arguments, environment);
    }
    close(ends[1]);
    stream_ = ends[0];
  }
  Started(const std::vector<std::string>& arguments, const Environment& environment,
          Terminal terminal) {
    winsize size = {terminal.rows, terminal.columns, 0, 0};
    if ((pid = forkpty(&stream_, nullptr, nullptr, &size)) == 0) become(arguments, environment);
  }
  Started(const Started&) = delete;
  ~Started() {
    if (pid > 0) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    close(stream_);
  }

  // Until `said` makes it true; false: the program ended before, or a minute passed.
  bool wait_until(const std::function<bool(const std::string&)>& enough) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!enough(said)) {
      pollfd ready{stream_, POLLIN, 0};
      poll(&ready, 1, 1000);
      if (ready.revents != 0) {
        char block[4096];
        const ssize_t n = read(stream_, block, sizeof block);
        if (n <= 0) return false;
        said.append(block, static_cast<size_t>(n));
      }
      if (std::chrono::steady_clock::now() > until) return false;
    }
    return true;
  }
  bool wait_for(const std::string& words) {
    return wait_until([&](const std::string& all) { return all.find(words) != std::string::npos; });
  }
  void type(const std::string& keys) { (void)!write(stream_, keys.data(), keys.size()); }
  // Reads all that comes; the exit code, or 128 + signal.
  int end() {
    wait_until([](const std::string&) { return false; });
    int status = 0;
    waitpid(pid, &status, 0);
    pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::string said;  // so far
  pid_t pid = -1;

 private:
  [[noreturn]] static void become(const std::vector<std::string>& arguments,
                                  const Environment& environment) {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG", "NO_COLOR"}) unsetenv(name);
    setenv("TERM", "xterm", 1);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> words{const_cast<char*>(PENUMBRA_CLI)};
    for (const std::string& argument : arguments)
      words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    execv(PENUMBRA_CLI, words.data());
    _exit(127);
  }

  int stream_ = -1;
};

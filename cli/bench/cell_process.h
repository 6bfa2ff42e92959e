// One cell as a process of its own: a crash or a lack of memory in it harms nothing else.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace penumbra::cli {

class CellProcess {
 public:
  // Runs this program with `arguments` on the processors of `where`. Its messages are appended to
  // `errors`; it is told to end when this process does.
  CellProcess(const std::vector<std::string>& arguments, const std::string& errors,
              const cpu_set_t& where);

  // Nothing while it runs; then its exit code, or minus the signal that ended it.
  std::optional<int> ended();
  void send(int signal) const;
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
  // Of the processor, once it has ended.
  double cpu_seconds() const { return cpu_seconds_; }

 private:
  pid_t process_ = -1;
  std::chrono::steady_clock::time_point began_;
  double cpu_seconds_ = 0;
};

}  // namespace penumbra::cli

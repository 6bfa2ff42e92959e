// The folder of a run (docs/runs.md): config.toml, facts.json, log.jsonl, checkpoint-a and -b, and
// at its end best.policy. One process at a time works in it.
#pragma once

#include <map>
#include <string>

#include "penumbra/runs/config.h"
#include "penumbra/runs/json.h"
#include "penumbra/solvers/solver.h"

namespace penumbra {

constexpr int kLogVersion = 1;  // of the lines of log.jsonl, and of facts.json

class RunFolder {
 public:
  // A new one. Throws Error where there is a run already or nothing can be written.
  static RunFolder create(const std::string& path, const std::string& config);
  // One that is there. Throws Error for a folder that holds no run, or one that is in use.
  static RunFolder open(const std::string& path);
  ~RunFolder();
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // The table [solve] of its configuration.
  ConfigTable config() const;
  std::string config_text() const;
  // One line of log.jsonl; `fields` follow version, time and event. A log that cannot be written
  // does not stop a run; log_problem() then says why.
  void log(const std::string& event, const Json& fields = Json::object());
  const std::string& log_problem() const { return log_problem_; }

 private:
  explicit RunFolder(std::string path);
  void open_log();

  std::string path_;
  int lock_ = -1, log_ = -1;
  bool cut_ = false;  // the log ends with a piece of a line
  std::string log_problem_;
};

// Whether a process works in this folder of a run now.
bool is_worked_on(const std::string& path);

// The value, and how far it can be trusted.
void add_upper(Json& out, const UpperValue& upper);
Json progress_json(const SolveProgress& p);
// The other way. What is missing is as if nothing had been reported.
SolveProgress read_progress(const Json& line);
Estimate read_estimate(const Json& fields, double mean);

}  // namespace penumbra

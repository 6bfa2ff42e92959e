#include "penumbra/runs/run_folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "penumbra/base/error.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/runs/cpu_time.h"
#include "penumbra/runs/instruction_set.h"
#include "penumbra/runs/json_fields.h"
#include "penumbra/runs/version.h"

namespace penumbra {
namespace {

constexpr int kTries = 5;
constexpr std::chrono::milliseconds kBetweenTries{10};

std::string now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

// The rest of the first line of a file that starts with `key`.
std::string line_of(const char* path, const std::string& key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) {
      const size_t at = line.find_first_not_of(" \t:", key.size());
      return at == std::string::npos ? "" : line.substr(at);
    }
  return "";
}

Json facts() {
  utsname system = {};
  uname(&system);
  Json out;
  out["v"] = kLogVersion;
  out["program"] = program_version();
  out["compiler"] = __VERSION__;
  out["instruction_set"] = instruction_set();
  out["created"] = now();
  out["system"] = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
  out["processor"] = line_of("/proc/cpuinfo", "model name");
  out["cores"] = available_cores();
  out["memory"] = line_of("/proc/meminfo", "MemTotal");
  return out;
}

}  // namespace

RunFolder::RunFolder(std::string path) : path_(std::move(path)) {
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0)
    throw Error(fmt::format("cannot open the folder {}: {}", path_, std::strerror(errno)));
  // Who watches the run holds the lock for an instant (is_worked_on).
  for (int tries = 1; ::flock(lock_, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (tries < kTries) {
      std::this_thread::sleep_for(kBetweenTries);
      continue;
    }
    ::close(lock_);
    throw Error(fmt::format("another process works on the run {}", path_));
  }
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      log_(std::exchange(other.log_, -1)),
      cut_(other.cut_),
      log_problem_(std::move(other.log_problem_)) {}

RunFolder::~RunFolder() {
  if (log_ >= 0) ::close(log_);
  if (lock_ >= 0) ::close(lock_);
}

RunFolder RunFolder::create(const std::string& path, const std::string& config) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw Error(fmt::format("cannot make the folder {}: {}", path, error.message()));
  RunFolder run(path);
  if (std::filesystem::exists(run.file("config.toml"), error))
    throw Error(fmt::format(
        "there is a run in {} already; go on with it by penumbra resume {}, or name another folder",
        path, path));
  // The configuration makes it a run: it comes last.
  replace_file(run.file("facts.json"), facts().dump(2) + "\n");
  run.open_log();
  replace_file(run.file("config.toml"), config);
  return run;
}

RunFolder RunFolder::open(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path + "/config.toml", error))
    throw Error(fmt::format("there is no run in '{}': it has no config.toml", path));
  RunFolder run(path);
  run.open_log();
  return run;
}

std::string RunFolder::config_text() const {
  std::ifstream in(file("config.toml"), std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw Error("cannot read " + file("config.toml"));
  return text.str();
}

ConfigTable RunFolder::config() const {
  std::map<std::string, ConfigTable> tables = parse_config(config_text(), file("config.toml"));
  if (!tables.contains("solve"))
    throw Error(fmt::format("{} is not a run of penumbra solve: nothing to go on with", path_));
  return tables["solve"];
}

void RunFolder::open_log() {
  log_ = ::open(file("log.jsonl").c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log_ < 0)
    throw Error(fmt::format("cannot write {}: {}", file("log.jsonl"), std::strerror(errno)));
  // A machine that went down may have cut the last line.
  char last = '\n';
  const off_t size = ::lseek(log_, 0, SEEK_END);
  if (size > 0 && ::pread(log_, &last, 1, size - 1) == 1 && last != '\n')
    (void)!::write(log_, "\n", 1);
}

void RunFolder::log(const std::string& event, const Json& fields) {
  Json line;
  line["v"] = kLogVersion;
  line["time"] = now();
  line["event"] = event;
  for (const auto& [key, value] : fields.items()) line[key] = value;
  std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (cut_) text = "\n" + text;  // behind the piece of a line
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(log_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      cut_ = cut_ || done > 0;
      log_problem_ =
          fmt::format("lines of {} are missing: {}", file("log.jsonl"), std::strerror(errno));
      return;
    }
    done += static_cast<size_t>(n);
  }
  cut_ = false;
}

bool is_worked_on(const std::string& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  const bool taken = ::flock(folder, LOCK_SH | LOCK_NB) != 0;
  ::close(folder);  // and with it the lock
  return taken;
}

void add_upper(Json& out, const UpperValue& upper) {
  out["upper"] = upper.value;
  out["upper_kind"] = name_of(upper.kind);
  out["upper_proven"] = upper.kind == UpperKind::kProven;
}

Json progress_json(const SolveProgress& p) {
  Json out;
  out["seconds"] = p.seconds;
  out["cpu_seconds"] = cpu_seconds();
  out["backups"] = p.backups;
  out["nodes"] = p.nodes;
  out["estimate"] = p.estimate;
  if (p.simulated.count > 0) {
    out["simulated"] = p.simulated.mean;
    out["standard_error"] = p.simulated.standard_error;
    out["low"] = p.simulated.low;
    out["high"] = p.simulated.high;
    out["episodes"] = p.simulated.count;
  }
  if (p.lower_proven) out["lower"] = p.lower;
  add_upper(out, p.upper);
  out["simulator_steps"] = p.simulator_steps;
  out["network_evaluations"] = p.network_evaluations;
  if (p.training_error >= 0) out["training_error"] = p.training_error;
  out["memory"] = p.memory;
  return out;
}

Estimate read_estimate(const Json& fields, double mean) {
  Estimate out;
  out.mean = mean;
  out.standard_error = number_in(fields, "standard_error");
  out.low = number_in(fields, "low", mean);
  out.high = number_in(fields, "high", mean);
  out.count = whole_in(fields, "episodes");
  return out;
}

SolveProgress read_progress(const Json& line) {
  SolveProgress p;
  p.seconds = number_in(line, "seconds", 0);
  p.backups = whole_in(line, "backups");
  p.nodes = static_cast<int>(std::min<uint64_t>(whole_in(line, "nodes"), INT32_MAX));
  p.estimate = number_in(line, "estimate");
  if (const double mean = number_in(line, "simulated"); std::isfinite(mean))
    p.simulated = read_estimate(line, mean);
  p.lower = number_in(line, "lower");
  p.lower_proven = std::isfinite(p.lower);
  p.upper.value = number_in(line, "upper", HUGE_VAL);
  for (const UpperKind kind : {UpperKind::kSampled, UpperKind::kProven})
    if (text_in(line, "upper_kind") == name_of(kind)) p.upper.kind = kind;
  p.simulator_steps = number_in(line, "simulator_steps", 0);
  p.network_evaluations = number_in(line, "network_evaluations", 0);
  p.memory = number_in(line, "memory", 0);
  p.training_error = number_in(line, "training_error", -1);
  return p;
}

}  // namespace penumbra

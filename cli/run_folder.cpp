#include "cli/run_folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "cli/cpu_time.h"
#include "cli/signature.h"
#include "cli/version.h"
#include "penumbra/base/error.h"
#include "penumbra/io/replace_file.h"

namespace penumbra::cli {
namespace {

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
  out["cores"] = std::thread::hardware_concurrency();
  out["memory"] = line_of("/proc/meminfo", "MemTotal");
  return out;
}

}  // namespace

RunFolder::RunFolder(std::string path) : path_(std::move(path)) {
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0)
    throw Error(fmt::format("cannot open the folder {}: {}", path_, std::strerror(errno)));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    throw Error(fmt::format("another process works on the run {}", path_));
  }
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      log_(std::exchange(other.log_, -1)) {}

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
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  (void)!::write(log_, text.data(), text.size());
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

}  // namespace penumbra::cli

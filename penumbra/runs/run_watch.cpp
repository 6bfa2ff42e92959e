#include "penumbra/runs/run_watch.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "penumbra/base/error.h"
#include "penumbra/runs/json_fields.h"
#include "penumbra/runs/run_folder.h"

namespace penumbra {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestLine = 1 << 24;

// Seconds since 1970; 0: it is none.
double time_of_day(const std::string& text) {
  tm parts = {};
  return strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) ? static_cast<double>(timegm(&parts))
                                                              : 0;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

Limits run_limits(const std::string& folder) {
  std::map<std::string, ConfigTable> tables = read_config(folder + "/config.toml");
  if (tables.contains("solve")) return limits_of(tables["solve"]);
  if (tables.contains("evaluate"))
    throw Error(fmt::format(
        "'{}' is a run of penumbra evaluate, which logs no progress; penumbra report shows it",
        folder));
  if (tables.contains("tune"))
    throw Error(
        fmt::format("'{}' is a search of penumbra tune; only runs of penumbra solve can be "
                    "watched",
                    folder));
  throw Error(
      fmt::format("'{}' is no run of penumbra solve: its config.toml has no [solve]", folder));
}

}  // namespace

RunWatch::RunWatch(std::string folder) : folder_(std::move(folder)) {}

bool RunWatch::begun() {
  const fs::path folder = folder_;
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) return false;
  if (status.type() != fs::file_type::directory)
    throw Error(fmt::format("'{}' is {}; name the folder of a run (penumbra solve --run)", folder_,
                            error ? error.message() : "no folder"));
  if (is_there(folder / "bench.json"))
    throw Error(fmt::format("'{}' is a bench; name the folder of one of its cells, {}/cells/ID",
                            folder_, folder_));
  // The configuration comes last (RunFolder::create).
  if (is_there(folder / "config.toml")) return true;
  const fs::directory_iterator entries(folder, error);
  if (error) throw Error(fmt::format("cannot read the folder {}: {}", folder_, error.message()));
  const bool other = std::any_of(begin(entries), end(entries), [](const fs::directory_entry& e) {
    const std::string name = e.path().filename().string();
    return !name.starts_with("facts.json") && !name.starts_with("config.toml") &&
           name != "log.jsonl";
  });
  if (other)
    throw Error(
        fmt::format("there is no run in '{}': it has other files, but no config.toml", folder_));
  return false;
}

bool RunWatch::look() {
  if (!begun_) {
    if (!(begun_ = begun())) return false;
    state_.phase = RunPhase::kSettingUp;
    heard_ = static_cast<double>(std::time(nullptr));
    state_.limits = run_limits(folder_);
    read_log();
    if (!over() && !is_worked_on(folder_) && !read_log() && !over()) state_.phase = RunPhase::kLost;
    return true;
  }
  if (read_log()) return true;
  // Who ends writes first and lets go of the folder then.
  if (over() || is_worked_on(folder_) || read_log()) return false;
  state_.phase = RunPhase::kLost;
  return true;
}

bool RunWatch::read_log() {
  std::ifstream in(folder_ + "/log.jsonl", std::ios::binary);
  if (!in) throw Error(fmt::format("cannot read {}/log.jsonl: {}", folder_, std::strerror(errno)));
  in.seekg(static_cast<std::streamoff>(at_));
  char block[1 << 16];
  bool news = false;
  while (in.read(block, sizeof block), in.gcount() > 0) {
    at_ += static_cast<uint64_t>(in.gcount());
    part_.append(block, static_cast<size_t>(in.gcount()));
    size_t begin = 0;
    for (size_t end; (end = part_.find('\n', begin)) != std::string::npos; begin = end + 1)
      news |= read_line(part_.substr(begin, end - begin));
    part_.erase(0, begin);
    if (part_.size() > kLongestLine)
      throw Error(folder_ + "/log.jsonl is not the log of a run: it has a line without an end");
  }
  return news;
}

bool RunWatch::read_line(const std::string& text) {
  const Json line = Json::parse(text, nullptr, false);
  const std::string event = text_in(line, "event");
  if (event.empty() || event.find("checkpoint") != std::string::npos) return false;
  if (event == "resume") state_.limits = run_limits(folder_);  // they may be others now
  state_.read(line);
  heard_ = time_of_day(text_in(line, "time"));
  return true;
}

double RunWatch::seconds() const {
  if (over() || state_.phase == RunPhase::kWaiting) return state_.seconds;
  const double since = static_cast<double>(std::time(nullptr)) - heard_;
  return state_.seconds + std::max(0.0, since);
}

}  // namespace penumbra

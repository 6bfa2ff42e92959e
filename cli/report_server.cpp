#include "cli/report_server.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "cli/page_server.h"
#include "penumbra/base/error.h"
#include "penumbra/runs/report.h"
#include "penumbra/runs/report_page.h"

namespace penumbra::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kNewsEvery{200};
constexpr int kLooksPerWalk = 5;  // over the folder

// One state of the report, shared by all who are being given it.
struct ServedReport {
  std::shared_ptr<const std::string> page, data;
  std::string tag;
};

// Another text when a file that reports are made of is another.
std::string state_of(const std::string& path) {
  std::string out;
  std::error_code error, gone;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name != "log.jsonl" && name != "best.policy" && !name.ends_with(".json") &&
        name != "config.toml")
      continue;
    const auto size = at->file_size(gone);
    const auto written = at->last_write_time(gone).time_since_epoch().count();
    out += fmt::format("{} {} {}\n", at->path().string(), size, written);
  }
  return out;
}

// Makes the report anew, in a thread of its own, when its runs have changed.
class LiveReport {
 public:
  // The first one is made here. Throws Error.
  LiveReport(std::string path, const PictureOptions& pictures, const CommonOptions& common)
      : path_(std::move(path)), pictures_(pictures), common_(common), state_(state_of(path_)) {
    make();
    maker_ = std::thread([this] { keep_making(); });
  }
  ~LiveReport() {
    over_ = true;
    maker_.join();
  }
  LiveReport(const LiveReport&) = delete;
  LiveReport& operator=(const LiveReport&) = delete;

  ServedReport now() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }

 private:
  void make() {
    Report report = make_report(path_, pictures_, common_, {}, &cache_);
    ServedReport made;
    made.tag = fmt::format("\"{:016x}\"", std::hash<std::string>()(report.data));
    made.page = std::make_shared<const std::string>(live_report_page(report.data));
    made.data = std::make_shared<const std::string>(std::move(report.data));
    const std::lock_guard lock(mutex_);
    now_ = std::move(made);
  }

  void keep_making() {
    for (int looks = 1; !over_ && !asked_to_stop(common_.interrupted); ++looks) {
      std::this_thread::sleep_for(kNewsEvery);
      if (looks % kLooksPerWalk != 0) continue;
      std::string state = state_of(path_);
      if (state == state_) continue;
      state_ = std::move(state);
      try {
        make();
      } catch (const Error& error) {
        common_.note(fmt::format("penumbra: the page stays as it was: {}", error.what()));
      }
    }
  }

  const std::string path_;
  const PictureOptions pictures_;
  const CommonOptions& common_;
  std::string state_;
  PictureCache cache_;
  mutable std::mutex mutex_;
  ServedReport now_;
  std::atomic<bool> over_ = false;
  std::thread maker_;
};

HttpAnswer answer_with(const ServedReport& report, const HttpRequest& request) {
  if (request.path == "/") return {200, "text/html; charset=utf-8", report.page};
  if (request.path != "/data.json")
    return words_answer(404, "there is only / (the page) and /data.json (what it shows)");
  if (request.known_tag == report.tag) return {304, "", nullptr, report.tag};
  return {200, "application/json", report.data, report.tag};
}

std::unique_ptr<PageServer> open_server(int port, bool else_any) try {
  return std::make_unique<PageServer>(port);
} catch (const Error&) {
  if (!else_any) throw;
  return std::make_unique<PageServer>(0);
}

}  // namespace

void serve_report(const std::string& path, const PictureOptions& pictures,
                  const CommonOptions& common, int port, bool else_any,
                  const std::function<void(const std::string&)>& ready) {
  const std::unique_ptr<PageServer> server = open_server(port, else_any);
  const LiveReport report(path, pictures, common);
  ready(fmt::format("http://127.0.0.1:{}/", server->port()));
  server->run([&](const HttpRequest& request) { return answer_with(report.now(), request); },
              common.interrupted);
}

}  // namespace penumbra::cli

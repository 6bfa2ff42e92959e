// penumbra report: runs or a bench as one page that can be looked at, sent and kept.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/report_server.h"
#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/runs/report.h"

namespace penumbra::cli {
namespace {

constexpr const char* kReportExamples =
    "Examples:\n"
    "  penumbra report runs/rs7 -o rs7.html\n"
    "  penumbra report runs -o all.html              every run below a folder, side by side\n"
    "  penumbra report benches/table-hour -o table.html   a bench\n"
    "  penumbra report runs/rs7 --serve              in a browser of this machine, as it goes on\n"
    "\n"
    "A run is what solve --run left, or evaluate --run: the episodes of a planner have the tree\n"
    "of every step. The page is one file that loads nothing. Of every problem and solver the\n"
    "policy with the best score is drawn and played (all where there are at most six runs).\n";

struct ReportArguments {
  std::string path, output, serve;
  PictureOptions pictures;
  CommonOptions common;
};

constexpr const char* kAnyPort = "default";  // --serve without one

int serve(const ReportArguments& o) {
  int64_t port = kReportPort;
  if (o.serve != kAnyPort && (!parse_number(o.serve, port) || port < 0 || port > 65535))
    throw Error(fmt::format("--serve takes a port from 0 to 65535, not '{}'", o.serve));
  if (!o.output.empty()) throw Error("the page is either written (-o) or served (--serve)");
  catch_interrupts();
  serve_report(o.path, o.pictures, o.common, static_cast<int>(port), o.serve == kAnyPort,
               [&](const std::string& address) {
                 if (o.common.json)
                   print_json({{"address", address}});
                 else
                   fmt::print("{} shows {}; Ctrl-C ends\n", address, o.path);
                 std::fflush(stdout);
               });
  return kOk;
}

int run(ReportArguments& o) {
  // In `--serve runs/rs7 --steps 9` the folder stands where a port may.
  if (o.path.empty() && o.serve != kAnyPort && !o.serve.empty())
    o.path = std::exchange(o.serve, kAnyPort);
  if (o.path.empty()) throw Error("name the folder of a run (see penumbra report --help)");
  if (!o.serve.empty()) return serve(o);
  if (o.output.empty())
    throw Error("name the page with -o, such as -o report.html, or see it with --serve");

  const auto began = std::chrono::steady_clock::now();
  const Report report = make_report(o.path, o.pictures, o.common);
  replace_file(o.output, report.page);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (o.common.json) {
    print_json({{"output", o.output},
                {"bytes", report.page.size()},
                {"runs", report.runs},
                {"problems", report.problems},
                {"controllers", report.controllers},
                {"episodes", report.episodes},
                {"seconds", seconds}});
    return kOk;
  }
  fmt::print("{}: {} run{}, {} controller{}, {} episodes, {:.1f} MB in {:.1f} s\n", o.output,
             report.runs, report.runs == 1 ? "" : "s", report.controllers,
             report.controllers == 1 ? "" : "s", report.episodes,
             static_cast<double>(report.page.size()) / 1e6, seconds);
  return kOk;
}

}  // namespace

std::function<int()> declare_report(Flags& flags) {
  auto o = std::make_shared<ReportArguments>();
  flags.positional("RUN", o->path, Need::kOptional,
                   "the folder of a run, of several runs, or of a bench");
  flags.text("-o,--output", o->output, Need::kOptional, "the page, such as report.html");
  flags.text_or("--serve", o->serve, kAnyPort,
                "instead of -o: show it on this port of 127.0.0.1 (8421), and refresh it as runs "
                "go on");
  flags.count("--episodes", o->pictures.episodes, 0, 1000, "to step through, of each policy (5)");
  flags.count("--steps", o->pictures.max_steps, 1, 10'000, "of an episode at most (100)");
  flags.count("--visits", o->pictures.visits, 1, 100'000'000,
              "episodes that the probabilities of a controller are taken from (20000)");
  declare_common(flags, o->common);
  flags.examples(kReportExamples);
  return [o] { return run(*o); };
}

}  // namespace penumbra::cli

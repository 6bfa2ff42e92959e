// penumbra report: runs or a bench as one page that can be looked at, sent and kept.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/json.h"
#include "cli/load.h"
#include "cli/report_page.h"
#include "cli/report_policies.h"
#include "cli/report_runs.h"
#include "cli/version.h"
#include "penumbra/base/error.h"
#include "penumbra/io/replace_file.h"

namespace penumbra::cli {
namespace {

constexpr const char* kReportExamples =
    "Examples:\n"
    "  penumbra report runs/rs7 -o rs7.html\n"
    "  penumbra report runs -o all.html              every run below a folder, side by side\n"
    "  penumbra report benches/table-hour -o table.html   a bench\n"
    "\n"
    "A run is what solve --run left, or evaluate --run: the episodes of a planner have the tree\n"
    "of every step. The page is one file that loads nothing. Of every problem and solver the\n"
    "policy with the best score is drawn and played (all where there are at most six runs).\n";

constexpr size_t kFewRuns = 6;  // all their policies are shown

struct ReportArguments {
  std::string path, output;
  uint64_t episodes = 5, steps = 100, visits = 20'000;
  CommonOptions common;
};

// The runs whose policies are shown.
std::set<size_t> shown_policies(const ReportRuns& all) {
  std::set<size_t> shown;
  std::map<std::pair<int, std::string>, size_t> best;
  std::error_code error;
  for (size_t i = 0; i < all.runs.size(); ++i) {
    const ReportRun& run = all.runs[i];
    if (run.folder.empty()) continue;
    if (run.policy.empty() && !std::filesystem::exists(run.folder + "/best.policy", error))
      continue;
    if (all.runs.size() <= kFewRuns) {
      shown.insert(i);
      continue;
    }
    const auto [at, first] = best.try_emplace({run.group, run.solver}, i);
    const double known = all.runs[at->second].score;
    if (!first && (std::isnan(known) || run.score > known)) at->second = i;
  }
  for (const auto& [key, i] : best) shown.insert(i);
  return shown;
}

int run(const ReportArguments& o) {
  const auto began = std::chrono::steady_clock::now();
  ReportRuns all = read_report_runs(o.path);
  ThreadPool pool(static_cast<int>(o.common.threads));
  PictureOptions how;
  how.episodes = o.episodes;
  how.max_steps = static_cast<int>(o.steps);
  how.visits = o.visits;
  how.seed = o.common.seed;
  Json runs = Json::array(), controllers = Json::array(), alphas = Json::array(),
       episodes = Json::array(), scenes = Json::array();
  const std::set<size_t> shown = shown_policies(all);
  for (size_t i = 0; i < all.runs.size(); ++i) {
    ReportRun& entry = all.runs[i];
    if (shown.contains(i)) try {
        PolicyPicture picture;
        if (entry.policy.empty()) {
          const std::unique_ptr<Pomdp> model = load_model(entry.domain, o.common, true);
          picture = draw_policy(*model, entry.folder + "/best.policy", how, pool);
        } else {
          const Job job = load_job(entry.domain, {entry.policy}, o.common);
          picture = draw_episodes(*job.model, *job.policies[0], how);
        }
        if (!picture.controller.is_null()) {
          picture.controller["run"] = i;
          controllers.push_back(std::move(picture.controller));
        }
        if (!picture.alphas.is_null()) {
          picture.alphas["run"] = i;
          if (!picture.scene.is_null()) picture.alphas["scene"] = scenes.size();
          alphas.push_back(std::move(picture.alphas));
        }
        for (Json& episode : picture.episodes) {
          episode["run"] = i;
          if (!picture.scene.is_null()) episode["scene"] = scenes.size();
          episodes.push_back(std::move(episode));
        }
        if (!picture.scene.is_null()) scenes.push_back(std::move(picture.scene));
      } catch (const Error& error) {
        // One policy that cannot be loaded here does not spoil the rest.
        if (!o.common.quiet)
          fmt::print(stderr, "penumbra: the policy of {} is not shown: {}\n", entry.folder,
                     error.what());
      }
    runs.push_back(std::move(entry.fields));
  }
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const Json data{{"format", "penumbra-report"},
                  {"version", 1},
                  {"title", all.title},
                  {"source", o.path},
                  {"created", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
                  {"program", program_version()},
                  {"groups", all.groups},
                  {"comparisons", all.comparisons},
                  {"scenes", scenes},
                  {"runs", runs},
                  {"controllers", controllers},
                  {"alphas", alphas},
                  {"episodes", episodes}};
  const std::string page = report_page(data.dump(-1, ' ', false, Json::error_handler_t::replace));
  replace_file(o.output, page);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (o.common.json) {
    print_json({{"output", o.output},
                {"bytes", page.size()},
                {"runs", runs.size()},
                {"problems", all.groups.size()},
                {"controllers", controllers.size()},
                {"episodes", episodes.size()},
                {"seconds", seconds}});
    return kOk;
  }
  fmt::print("{}: {} run{}, {} controller{}, {} episodes, {:.1f} MB in {:.1f} s\n", o.output,
             runs.size(), runs.size() == 1 ? "" : "s", controllers.size(),
             controllers.size() == 1 ? "" : "s", episodes.size(),
             static_cast<double>(page.size()) / 1e6, seconds);
  return kOk;
}

}  // namespace

std::function<int()> declare_report(Flags& flags) {
  auto o = std::make_shared<ReportArguments>();
  flags.positional("RUN", o->path, Need::kRequired,
                   "the folder of a run, of several runs, or of a bench");
  flags.text("-o,--output", o->output, Need::kRequired, "the page, such as report.html");
  flags.count("--episodes", o->episodes, 0, 1000, "to step through, of each policy (5)");
  flags.count("--steps", o->steps, 1, 10'000, "of an episode at most (100)");
  flags.count("--visits", o->visits, 1, 100'000'000,
              "episodes that the probabilities of a controller are taken from (20000)");
  declare_common(flags, o->common);
  flags.examples(kReportExamples);
  return [o] { return run(*o); };
}

}  // namespace penumbra::cli

#include "penumbra/runs/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "penumbra/base/error.h"
#include "penumbra/runs/load.h"
#include "penumbra/runs/report_page.h"
#include "penumbra/runs/report_runs.h"
#include "penumbra/runs/version.h"

namespace penumbra {
namespace {

constexpr size_t kFewRuns = 6;  // all their policies are shown

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

// Lists of the page that are gathered run by run.
struct Lists {
  Json controllers = Json::array(), alphas = Json::array(), episodes = Json::array(),
       scenes = Json::array();

  void add(size_t run, PolicyPicture picture) {
    if (!picture.controller.is_null()) {
      picture.controller["run"] = run;
      controllers.push_back(std::move(picture.controller));
    }
    if (!picture.alphas.is_null()) {
      picture.alphas["run"] = run;
      if (!picture.scene.is_null()) picture.alphas["scene"] = scenes.size();
      alphas.push_back(std::move(picture.alphas));
    }
    for (Json& episode : picture.episodes) {
      episode["run"] = run;
      if (!picture.scene.is_null()) episode["scene"] = scenes.size();
      episodes.push_back(std::move(episode));
    }
    if (!picture.scene.is_null()) scenes.push_back(std::move(picture.scene));
  }
};

PolicyPicture picture_of(const ReportRun& run, const PictureOptions& how,
                         const CommonOptions& common, const ModelFinder& find_model,
                         ThreadPool& pool) {
  std::unique_ptr<Pomdp> model = find_model ? find_model(run.domain) : nullptr;
  if (run.policy.empty()) {
    if (!model) model = load_model(run.domain, common, true);
    return draw_policy(*model, run.folder + "/best.policy", how, pool);
  }
  if (model) {
    const std::shared_ptr<const Pomdp> own = std::move(model);
    const auto policy = load_policy(run.policy, *own, Execution::kController, common);
    return draw_episodes(*played_on(own, run.policy, Execution::kController), *policy, how);
  }
  const Job job = load_job(run.domain, {run.policy}, common);
  return draw_episodes(*job.model, *job.policies[0], how);
}

// One policy that cannot be loaded here does not spoil the rest.
PolicyPicture picture_or_none(const ReportRun& run, const PictureOptions& how,
                              const CommonOptions& common, const ModelFinder& find_model,
                              ThreadPool& pool) try {
  return picture_of(run, how, common, find_model, pool);
} catch (const Error& error) {
  common.note(fmt::format("penumbra: the policy of {} is not shown: {}", run.folder, error.what()));
  return {};
}

// Another one when its file was written anew.
std::string run_key(const ReportRun& run) {
  const std::filesystem::path file = run.folder + "/best.policy";
  std::error_code error;
  const auto written = std::filesystem::last_write_time(file, error).time_since_epoch().count();
  return fmt::format("{} {} {}", file.string(), error ? 0 : written, run.policy);
}

}  // namespace

Report make_report(const std::string& path, PictureOptions pictures, const CommonOptions& common,
                   const ModelFinder& find_model, PictureCache* cache) {
  ReportRuns all = read_report_runs(path);
  ThreadPool pool(static_cast<int>(common.threads));
  pictures.seed = common.seed;
  Json runs = Json::array();
  Lists lists;
  PictureCache drawn;
  const std::set<size_t> shown = shown_policies(all);
  for (size_t i = 0; i < all.runs.size(); ++i) {
    ReportRun& entry = all.runs[i];
    if (shown.contains(i) && !asked_to_stop(common.interrupted)) {
      const std::string key = run_key(entry);
      PolicyPicture picture = cache && cache->contains(key)
                                  ? std::move(cache->at(key))
                                  : picture_or_none(entry, pictures, common, find_model, pool);
      if (cache) drawn[key] = picture;
      lists.add(i, std::move(picture));
    }
    runs.push_back(std::move(entry.fields));
  }
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const Json data{{"format", "penumbra-report"},
                  {"version", 1},
                  {"title", all.title},
                  {"source", path},
                  {"created", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
                  {"program", program_version()},
                  {"groups", all.groups},
                  {"comparisons", all.comparisons},
                  {"scenes", lists.scenes},
                  {"runs", runs},
                  {"controllers", lists.controllers},
                  {"alphas", lists.alphas},
                  {"episodes", lists.episodes}};
  if (cache) *cache = std::move(drawn);
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  return {report_page(text), std::move(text),          runs.size(),
          all.groups.size(), lists.controllers.size(), lists.episodes.size()};
}

}  // namespace penumbra

// Runs or a bench as one page that can be looked at, sent and kept.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "penumbra/runs/common_options.h"
#include "penumbra/runs/report_policies.h"

namespace penumbra {

struct Report {
  std::string page;  // HTML that loads nothing
  std::string data;  // what it draws, as JSON
  size_t runs = 0, problems = 0, controllers = 0, episodes = 0;
};

// Finds the model of a run by its name; null: load_model() can.
using ModelFinder = std::function<std::unique_ptr<Pomdp>(const std::string& domain)>;

// Pictures of policies by the file that they are of, for reports of the same folder made one after
// another: those of files that did not change are not drawn again.
using PictureCache = std::map<std::string, PolicyPicture>;

// Of a run's folder, a bench's, or one with runs below it. Of every problem and solver the policy
// with the best score is drawn and played; all where there are few runs. Its random numbers are of
// common.seed. Where common.interrupted asks to stop the rest is not drawn.
Report make_report(const std::string& path, PictureOptions pictures, const CommonOptions& common,
                   const ModelFinder& find_model = {}, PictureCache* cache = nullptr);

}  // namespace penumbra

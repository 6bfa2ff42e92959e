// Searches for good options of a solver. Trials are made in batches: each batch is proposed from
// all those before it, so that the search is the same however its trials are spread over threads,
// and when it was stopped in between.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "penumbra/runs/common_options.h"
#include "penumbra/runs/solve_job.h"
#include "penumbra/runs/trials.h"

namespace penumbra {

struct TuneOptions {
  std::string space, domain, solver = "nvi", run, method = "parzen", time, early = "median";
  uint64_t trials = 50, backups = 0, batch = 4, episodes = 10'000;
  CommonOptions common;
};
void declare_tune_options(OptionRecord& options, TuneOptions& o);

struct TuneResult {
  std::string problem;  // with its parameters
  std::string config;   // the file of the best
  std::vector<Trial> trials;
  std::optional<Trial> best;  // none: interrupted before a trial had ended
  int stopped_early = 0;
  // Of each option, in the order of Trial::settings: the share of the variance of scores that it
  // explains alone.
  std::vector<std::pair<std::string, double>> importance;
};

// Goes on with the search in the folder o.run, or begins one there. `report` is called after each
// trial, from any thread but one at a time. Throws Error where every trial was ended early.
TuneResult tune(const TuneOptions& o, const std::function<void(const Trial&)>& report = {},
                ModelSource source = {});

}  // namespace penumbra

// What a report is made of: the runs of a folder (docs/records.md) with their logs, by problem.
#pragma once

#include <string>
#include <vector>

#include "penumbra/runs/json.h"

namespace penumbra {

struct ReportRun {
  std::string folder;  // of the run; empty: only its result is left
  std::string domain, solver;
  std::string policy;            // that was only scored; empty: the folder has one from a solve
  int group = 0;                 // index into ReportRuns::groups
  double score;                  // NaN: none
  Json fields = Json::object();  // as the page gets them
};

struct ReportRuns {
  std::string title;
  Json groups = Json::array();  // of problems: name, published
  std::vector<ReportRun> runs;
  Json comparisons = Json::array();
};

// A run's folder, a bench's, or a folder that has runs somewhere below it. Throws Error where there
// are none.
ReportRuns read_report_runs(const std::string& path);

}  // namespace penumbra

// Scores that others have published, shown beside ours and marked as theirs: on maps, machines and
// time limits of their own. An experiment file lists them; those of experiments/table.toml are part
// of the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "penumbra/runs/json.h"

namespace penumbra {

struct FileTable;

struct Published {
  std::string model;   // "RS(7,8)"
  std::string solver;  // as its authors call it
  double mean = 0;
  std::optional<double> spread;                // as published
  std::string source, kind = "offline", note;  // kind: offline, online
};

// A [[published]] of an experiment file. Throws Error with file and line.
Published read_published(FileTable& table);
// The list in bench.json and table.json.
Json published_json(const std::vector<Published>& all);

// experiments/table.toml.
const char* paper_table();
// The name of a problem in that file, empty for those that it does not have. Parameters that change
// the problem (rules, rewards, a fixed map) make it another one.
std::string published_name(const std::string& domain);
// What the file has of that problem.
std::vector<Published> published_scores(const std::string& name);

}  // namespace penumbra

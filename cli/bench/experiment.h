// An experiment: models x solvers x maps x seeds, each with its budget, read from a TOML file
// (docs/bench.md) and unfolded into cells. A cell is one independent solve, or the score of a
// policy that needs none, such as a planner.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/json.h"
#include "penumbra/runs/config.h"
#include "penumbra/runs/published.h"

namespace penumbra::cli {

struct ModelRow {
  std::string name, domain;
  std::vector<uint64_t> maps;  // values of map_seed; empty: the domain has no maps
};

struct SolverRow {
  std::string name, solver;
  std::string group = "table";    // others belong to a figure alone
  std::optional<double> value;    // of the parameter that a group varies
  std::vector<std::string> only;  // models; empty: all
  std::string policy;             // that is scored instead of a solve; empty: none
};

struct FigureRow {
  std::string name, kind, title;
  std::string model;                 // of those kinds that show one
  std::vector<std::string> solvers;  // names; for kind "parameter" empty and `group` names them
  std::string group;
  std::string over = "backups";  // of kind "bounds": backups, seconds
};

struct Cell {
  std::string id, model, solver, group;
  std::optional<uint64_t> map;
  uint64_t seed = 1;
  std::string domain;       // with its map
  ConfigTable config;       // options of `penumbra solve`; neither domain, solver nor seed
  std::string solver_name;  // in the registry, or of the policy
  std::string policy;       // scored instead of a solve; then options are of `penumbra evaluate`
};

struct Experiment {
  std::string name, title, file, scale;
  std::vector<ModelRow> models;
  std::vector<SolverRow> solvers;
  std::vector<FigureRow> figures;
  std::vector<Published> published;
  std::vector<Cell> cells;
};

// Throws Error with file and line for anything that is not known.
Experiment read_experiment(const std::string& path, const std::string& scale);
Experiment parse_experiment(const std::string& text, const std::string& file,
                            const std::string& scale);

// The fields of bench.json (docs/records.md), and back.
Json experiment_json(const Experiment& e);
Experiment experiment_from_json(const Json& json);

// The arguments of the program that solve or score the cell, without --run.
std::vector<std::string> cell_arguments(const Cell& cell);
// The same as people would type it.
std::string command_text(const Cell& cell);
// Seconds; 0: none.
double time_limit_of(const Cell& cell);
// How people call it: "RS(7,8), NVI, map 1, seed 1".
std::string describe(const Cell& cell);

}  // namespace penumbra::cli

// The table of a bench: one row per model and solver, and what of their differences is more than
// chance. Scores are of these policies on these maps, so the standard error comes from the
// simulation; the spread over runs is another thing and stands apart.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/bench/bench_folder.h"

namespace penumbra::cli {

struct RunScore {
  std::string id;
  std::optional<uint64_t> map;
  uint64_t seed = 1;
  double mean = 0, standard_error = 0, nodes = 0, seconds = 0;
  uint64_t block_seed = 0, block = 0;  // of the episodes
  std::vector<double> means;           // of the blocks
};

struct Row {
  std::string model, solver, group;
  int wanted = 0, done = 0;
  std::vector<RunScore> runs;
  size_t maps = 0;  // that there are runs of; 1 where the model has none
  double mean = 0, standard_error = 0;
  std::optional<double> spread;  // standard deviation over runs
  double nodes = 0, seconds = 0, peak_memory = 0, simulator_steps = 0;
  double seconds_per_step = 0;  // of those that plan while they act
  std::optional<double> upper;
  bool upper_proven = false;
  std::set<std::string> statuses;
  std::string problem;

  bool has_score() const { return !runs.empty(); }
  bool not_applicable() const { return statuses.count("not applicable") > 0; }
};

// The first minus the second, on the runs that both have.
struct Duel {
  std::string model, first, second;
  int runs = 0;
  double difference = 0, standard_error = 0;
  double p = 0, p_corrected = 0;            // these policies on these maps: over the episodes
  double p_runs = 0, p_runs_corrected = 0;  // the solvers on such maps: over the runs; NaN: none
};

struct Table {
  std::string name, title, scale;
  std::vector<std::string> models, solvers;  // of the group "table", in order
  std::vector<Row> rows;                     // of all groups
  std::vector<Duel> duels;                   // of the group "table"
  std::vector<Published> published;
  std::set<std::string> programs, machines;
  int cells = 0, done = 0, failed = 0;

  const Row* find(const std::string& model, const std::string& solver) const;
  const Duel* duel(const std::string& model, const std::string& a, const std::string& b) const;
};

Table make_table(const BenchFolder& folder);

Json table_json(const Table& table);
std::string table_csv(const Table& table);
// Scores with the published ones beside them, and the cost of each.
std::string table_markdown(const Table& table);
// What is better than what, and by how much.
std::string duels_markdown(const Table& table);

}  // namespace penumbra::cli

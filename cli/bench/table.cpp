#include "cli/bench/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "penumbra/evaluate/score.h"
#include "penumbra/evaluate/statistics.h"
#include "penumbra/runs/json_fields.h"

namespace penumbra::cli {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void add_result(Row& row, const Json& result) {
  ++row.done;
  row.statuses.insert(result.at("status").get<std::string>());
  if (result.contains("problem")) row.problem = result["problem"];
  if (!result.contains("score")) return;
  RunScore run;
  run.id = result.at("id");
  if (result.at("map").is_number()) run.map = result["map"].get<uint64_t>();
  run.seed = result.at("seed");
  run.mean = number_in(result["score"], "mean");
  run.standard_error = number_in(result["score"], "standard_error");
  run.nodes = number_in(result, result.contains("vectors") ? "vectors" : "nodes", 0);
  run.seconds = number_in(result, "seconds", 0);
  row.seconds_per_step += number_in(result, "seconds_per_step", 0);
  if (result.contains("blocks")) {
    run.block_seed = result["blocks"].at("seed");
    run.block = result["blocks"].at("block");
    run.means = result["blocks"].at("means").get<std::vector<double>>();
  }
  row.peak_memory += number_in(result, "peak_memory");
  row.simulator_steps += number_in(result, "simulator_steps", 0);
  if (const double upper = number_in(result, "upper"); std::isfinite(upper)) {
    row.upper = row.upper.value_or(0) + upper;
    row.upper_proven = flag_in(result, "upper_proven");
  }
  row.runs.push_back(std::move(run));
}

// From sums to means. Every map counts the same, however many of its seeds are done: maps differ by
// more than solvers do.
void finish(Row& row) {
  if (row.runs.empty()) return;
  const double n = static_cast<double>(row.runs.size());
  std::map<std::optional<uint64_t>, double> runs_of;  // a map
  for (const RunScore& run : row.runs) ++runs_of[run.map];
  row.maps = runs_of.size();
  Moments scores;
  double variance = 0;
  for (const RunScore& run : row.runs) {
    const double weight = 1 / (runs_of[run.map] * static_cast<double>(runs_of.size()));
    scores.add(run.mean);
    row.mean += weight * run.mean;
    variance += weight * weight * run.standard_error * run.standard_error;
    row.nodes += run.nodes / n;
    row.seconds += run.seconds / n;
  }
  row.standard_error = std::sqrt(variance);
  if (n > 1) row.spread = scores.estimate().standard_error * std::sqrt(n);
  row.peak_memory /= n;
  row.seconds_per_step /= n;
  row.simulator_steps /= n;
  if (row.upper) *row.upper /= n;
}

// The paired difference of two runs over the episodes that both met.
PairedTest paired(const RunScore& a, const RunScore& b) {
  PairedTest test{a.mean - b.mean, kNaN, kNaN, 0};
  if (a.block == 0 || a.block != b.block || a.block_seed != b.block_seed) return test;
  std::vector<double> differences;
  for (size_t i = 0; i < std::min(a.means.size(), b.means.size()); ++i)
    differences.push_back(a.means[i] - b.means[i]);
  if (differences.size() < 2) return test;
  return paired_test(differences);
}

std::optional<Duel> compare(const Row& first, const Row& second) {
  Duel duel{first.model, first.solver, second.solver};
  std::vector<double> differences;
  double variance = 0, freedom = 0;
  for (const RunScore& a : first.runs)
    for (const RunScore& b : second.runs) {
      if (a.map != b.map || a.seed != b.seed) continue;
      const PairedTest test = paired(a, b);
      differences.push_back(test.mean);
      variance += test.standard_error * test.standard_error;
      freedom += static_cast<double>(test.count) - 1;
    }
  if (differences.empty()) return std::nullopt;
  const double n = static_cast<double>(differences.size());
  const PairedTest runs = paired_test(differences);
  duel.runs = static_cast<int>(differences.size());
  duel.difference = runs.mean;
  duel.standard_error = std::sqrt(variance) / n;
  duel.p_runs = runs.p;
  // Policies that never differ are equal; otherwise variances add up as the runs are independent.
  duel.p = duel.standard_error > 0    ? two_sided_p(duel.difference / duel.standard_error, freedom)
           : duel.standard_error == 0 ? (duel.difference == 0 ? 1.0 : 0.0)
                                      : kNaN;
  return duel;
}

void add_duels(Table& table) {
  for (const std::string& model : table.models)
    for (size_t i = 0; i < table.solvers.size(); ++i)
      for (size_t j = i + 1; j < table.solvers.size(); ++j) {
        const Row* a = table.find(model, table.solvers[i]);
        const Row* b = table.find(model, table.solvers[j]);
        if (!a || !b) continue;
        if (const auto duel = compare(*a, *b)) table.duels.push_back(*duel);
      }
  std::vector<double> p, p_runs;
  for (const Duel& duel : table.duels) {
    p.push_back(duel.p);
    p_runs.push_back(duel.p_runs);
  }
  const std::vector<double> q = holm_corrected(p), q_runs = holm_corrected(p_runs);
  for (size_t i = 0; i < table.duels.size(); ++i) {
    table.duels[i].p_corrected = q[i];
    table.duels[i].p_runs_corrected = q_runs[i];
  }
}

}  // namespace

const Row* Table::find(const std::string& model, const std::string& solver) const {
  for (const Row& row : rows)
    if (row.model == model && row.solver == solver) return &row;
  return nullptr;
}

const Duel* Table::duel(const std::string& model, const std::string& a,
                        const std::string& b) const {
  for (const Duel& d : duels)
    if (d.model == model && ((d.first == a && d.second == b) || (d.first == b && d.second == a)))
      return &d;
  return nullptr;
}

Table make_table(const BenchFolder& folder) {
  const Experiment& e = folder.experiment();
  Table table;
  table.name = e.name;
  table.title = e.title;
  table.scale = e.scale;
  table.published = e.published;
  for (const ModelRow& m : e.models) table.models.push_back(m.name);
  for (const SolverRow& s : e.solvers)
    if (s.group == "table") table.solvers.push_back(s.name);
  for (const Cell& cell : e.cells) {
    auto row = std::find_if(table.rows.begin(), table.rows.end(), [&](const Row& r) {
      return r.model == cell.model && r.solver == cell.solver;
    });
    if (row == table.rows.end()) {
      Row fresh;
      fresh.model = cell.model;
      fresh.solver = cell.solver;
      fresh.group = cell.group;
      row = table.rows.insert(table.rows.end(), std::move(fresh));
    }
    ++row->wanted;
    ++table.cells;
    const std::optional<Json> result = folder.result(cell.id);
    if (!result) continue;
    from_file(folder.result_file(cell.id), [&] { add_result(*row, *result); });
    ++(text_in(*result, "status") == "failed" ? table.failed : table.done);
    if (!result->contains("facts")) continue;
    const Json& facts = (*result)["facts"];
    table.programs.insert(text_in(facts, "program"));
    table.machines.insert(fmt::format("{}, {} cores, {}, {}", text_in(facts, "processor"),
                                      whole_in(facts, "cores"), text_in(facts, "memory"),
                                      text_in(facts, "instruction_set")));
  }
  for (Row& row : table.rows) finish(row);
  add_duels(table);
  return table;
}

}  // namespace penumbra::cli

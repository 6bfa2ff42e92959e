#include "cli/bench/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "penumbra/runs/json_fields.h"

namespace penumbra::cli {
namespace {

// The lines of progress of a cell.
std::vector<Json> progress(const BenchFolder& folder, const Cell& cell) {
  std::vector<Json> lines;
  for (Json& event : read_log(folder.cell(cell.id)))
    if (event["event"] == "progress") lines.push_back(std::move(event));
  return lines;
}

// The cells of a model and solver, first maps and seeds first.
std::vector<const Cell*> cells_of(const BenchFolder& folder, const std::string& model,
                                  const std::string& solver) {
  std::vector<const Cell*> out;
  for (const Cell& cell : folder.experiment().cells)
    if (cell.model == model && cell.solver == solver) out.push_back(&cell);
  return out;
}

// What a line says of the policy: simulated, or proven.
double value_of(const Json& line) {
  return line.contains("lower") ? number_in(line, "lower") : number_in(line, "simulated");
}

void add_published(Chart& chart, const Table& table, const std::string& model, const char* kind) {
  for (const Published& p : table.published)
    if (p.model == model && p.kind == kind) chart.references.push_back({p.solver, p.mean});
}

Chart bounds(const BenchFolder& folder, const Table& table, const FigureRow& figure) {
  Chart chart;
  chart.x_label = figure.over == "seconds" ? "seconds of planning" : "backups";
  chart.y_label = "value at the start";
  chart.log_x = true;
  const std::vector<std::string>& names = figure.solvers.empty() ? table.solvers : figure.solvers;
  int colour = 0;
  for (const std::string& solver : names) {
    const std::vector<const Cell*> cells = cells_of(folder, figure.model, solver);
    if (cells.empty()) continue;
    Chart::Series lower, upper;
    bool proven = false, sampled = false, simulated = false;
    for (const Json& line : progress(folder, *cells[0])) {
      const double x = number_in(line, figure.over.c_str());
      lower.x.push_back(x);
      lower.y.push_back(value_of(line));
      simulated |= !line.contains("lower");
      lower.low.push_back(line.contains("lower") ? lower.y.back() : number_in(line, "low"));
      lower.high.push_back(line.contains("lower") ? lower.y.back() : number_in(line, "high"));
      upper.x.push_back(x);
      upper.y.push_back(number_in(line, "upper"));
      proven |= flag_in(line, "upper_proven");
      sampled |= text_in(line, "upper_kind") == "sampled";
    }
    if (lower.x.empty()) continue;
    lower.name = solver + (simulated ? ", simulated" : ", lower bound");
    upper.name = solver + (proven    ? ", upper bound"
                           : sampled ? ", upper 95 %"
                                     : ", upper estimate");
    lower.colour = upper.colour = colour++;
    upper.dashed = true;
    chart.series.push_back(std::move(lower));
    chart.series.push_back(std::move(upper));
    if (chart.note.empty())
      chart.note = cells[0]->domain + ", seed " + std::to_string(cells[0]->seed);
  }
  add_published(chart, table, figure.model, "online");
  return chart;
}

Chart parameter(const BenchFolder& folder, const Table& table, const FigureRow& figure) {
  Chart chart;
  chart.x_label = figure.group;
  chart.y_label = "score";
  chart.log_x = true;
  chart.note = "mean over runs; bars: standard deviation over runs, or 95 % interval of one run";
  for (const std::string& model : table.models) {
    Chart::Series series;
    series.name = model;
    series.points = true;
    for (const SolverRow& s : folder.experiment().solvers) {
      const Row* row = table.find(model, s.name);
      if (s.group != figure.group || !s.value || !row || !row->has_score()) continue;
      const double bar = row->spread ? *row->spread : 1.96 * row->standard_error;
      series.x.push_back(*s.value);
      series.y.push_back(row->mean);
      series.low.push_back(row->mean - bar);
      series.high.push_back(row->mean + bar);
    }
    if (!series.x.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

// The value of the policy over what it cost, one line a run.
Chart score_by(const BenchFolder& folder, const Table& table, const FigureRow& figure,
               const char* field) {
  Chart chart;
  const bool by_time = std::string(field) == "seconds";
  chart.x_label = by_time ? "seconds of planning" : "nodes of the controller";
  chart.y_label = "simulated value";
  chart.log_x = true;
  const std::vector<std::string>& names = figure.solvers.empty() ? table.solvers : figure.solvers;
  int colour = 0;
  for (const std::string& solver : names) {
    bool first = true;
    for (const Cell* cell : cells_of(folder, figure.model, solver)) {
      Chart::Series series;
      for (const Json& line : progress(folder, *cell)) {
        series.x.push_back(number_in(line, field));
        series.y.push_back(value_of(line));
      }
      if (series.x.empty()) continue;
      if (first) series.name = solver;
      series.colour = colour;
      series.points = !by_time;
      first = false;
      chart.series.push_back(std::move(series));
    }
    colour += !first;
  }
  add_published(chart, table, figure.model, "online");
  chart.note = figure.model + "; one line a run";
  return chart;
}

}  // namespace

Chart make_figure(const BenchFolder& folder, const Table& table, const FigureRow& figure) {
  Chart chart = figure.kind == "bounds"           ? bounds(folder, table, figure)
                : figure.kind == "parameter"      ? parameter(folder, table, figure)
                : figure.kind == "score-by-nodes" ? score_by(folder, table, figure, "nodes")
                                                  : score_by(folder, table, figure, "seconds");
  chart.title = figure.title;
  return chart;
}

}  // namespace penumbra::cli

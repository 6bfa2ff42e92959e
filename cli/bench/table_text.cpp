// The table as JSON, CSV and Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/bench/table.h"
#include "penumbra/runs/json_fields.h"

namespace penumbra::cli {
namespace {

constexpr double kLevel = 0.05;

std::string joined(const std::set<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

Json row_json(const Row& row) {
  Json out{{"model", row.model},      {"solver", row.solver}, {"group", row.group},
           {"runs", row.runs.size()}, {"wanted", row.wanted}, {"done", row.done}};
  out["status"] = joined(row.statuses);
  if (!row.problem.empty()) out["problem"] = row.problem;
  if (!row.has_score()) return out;
  out["mean"] = row.mean;
  out["spread"] = or_null(row.spread);
  out["standard_error"] = row.standard_error;
  out["scores"] = Json::array();
  for (const RunScore& run : row.runs)
    out["scores"].push_back({{"id", run.id},
                             {"map", or_null(run.map)},
                             {"seed", run.seed},
                             {"mean", run.mean},
                             {"standard_error", run.standard_error},
                             {"nodes", run.nodes},
                             {"seconds", run.seconds}});
  out["nodes"] = row.nodes;
  out["seconds"] = row.seconds;
  if (row.seconds_per_step > 0) out["seconds_per_step"] = row.seconds_per_step;
  out["peak_memory"] = row.peak_memory;
  out["simulator_steps"] = row.simulator_steps;
  out["upper"] = or_null(row.upper);
  out["upper_proven"] = row.upper_proven;
  return out;
}

// A cell of the Markdown table.
std::string score_text(const Table& table, const std::string& model, const std::string& solver) {
  const Row* row = table.find(model, solver);
  if (!row) return "";
  if (!row->has_score()) return row->not_applicable() ? "—" : row->done > 0 ? "failed" : "";
  std::string text = fmt::format("{:.2f}", row->mean);
  if (row->spread) text += fmt::format(" ± {:.2f}", *row->spread);
  text += fmt::format(" ({:.3f})", row->standard_error);
  // Best, where no other is above it, of those with the most maps: these differ more than solvers.
  size_t most = 0, most_maps = 0;
  for (const std::string& other : table.solvers)
    if (const Row* r = table.find(model, other)) {
      most = std::max(most, r->runs.size());
      most_maps = std::max(most_maps, r->maps);
    }
  const bool best = std::all_of(table.solvers.begin(), table.solvers.end(), [&](const auto& other) {
    const Row* r = table.find(model, other);
    return !r || r->maps < most_maps || r->mean <= row->mean;
  });
  if (best && row->maps == most_maps) text = "**" + text + "**";
  if (row->statuses.count("memory")) text += " †";
  const size_t wanted = std::max(most, static_cast<size_t>(std::max(0, row->wanted)));
  if (row->runs.size() < wanted) text += fmt::format(" [{} of {}]", row->runs.size(), wanted);
  return text;
}

std::string header(const std::vector<std::string>& models) {
  std::string line = "| |", rule = "|---|";
  for (const std::string& model : models) {
    line += " " + model + " |";
    rule += "--:|";
  }
  return line + "\n" + rule + "\n";
}

std::string count_text(double value) {
  return value >= 1e6   ? fmt::format("{:.1f} M", value / 1e6)
         : value >= 1e4 ? fmt::format("{:.0f} k", value / 1e3)
                        : fmt::format("{:.0f}", value);
}

std::string p_text(double p) {
  return std::isnan(p) ? "—" : p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

std::string csv_quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

Json table_json(const Table& table) {
  Json out{{"v", 1},
           {"name", table.name},
           {"title", table.title},
           {"scale", table.scale},
           {"created", time_of_day()},
           {"programs", table.programs},
           {"machines", table.machines},
           {"cells", table.cells},
           {"done", table.done},
           {"failed", table.failed}};
  for (const char* list : {"rows", "comparisons"}) out[list] = Json::array();
  for (const Row& row : table.rows) out["rows"].push_back(row_json(row));
  for (const Duel& d : table.duels)
    out["comparisons"].push_back({{"model", d.model},
                                  {"first", d.first},
                                  {"second", d.second},
                                  {"runs", d.runs},
                                  {"difference", d.difference},
                                  {"standard_error", d.standard_error},
                                  {"p", d.p},
                                  {"p_corrected", d.p_corrected},
                                  {"p_runs", d.p_runs},
                                  {"p_runs_corrected", d.p_runs_corrected}});
  out["published"] = published_json(table.published);
  return out;
}

std::string table_csv(const Table& table) {
  std::string out = "model,solver,group,map,seed,mean,standard_error,nodes,seconds,source\n";
  for (const Row& row : table.rows)
    for (const RunScore& run : row.runs)
      out += fmt::format("{},{},{},{},{},{},{},{},{},ours\n", csv_quoted(row.model),
                         csv_quoted(row.solver), csv_quoted(row.group),
                         run.map ? std::to_string(*run.map) : "", run.seed, run.mean,
                         run.standard_error, run.nodes, run.seconds);
  for (const Published& p : table.published)
    out += fmt::format("{},{},published,,,{},,,,{}\n", csv_quoted(p.model), csv_quoted(p.solver),
                       p.mean, csv_quoted(p.source));
  return out;
}

std::string table_markdown(const Table& table) {
  std::string out = header(table.models);
  for (const std::string& solver : table.solvers) {
    out += "| " + solver + " |";
    for (const std::string& model : table.models)
      out += " " + score_text(table, model, solver) + " |";
    out += "\n";
  }
  std::vector<std::pair<std::string, std::string>> theirs;  // solver, source
  // Scores of planners stand beside planners.
  const bool planners = std::any_of(table.rows.begin(), table.rows.end(),
                                    [](const Row& row) { return row.seconds_per_step > 0; });
  auto shown = [&](const Published& p) { return p.kind == "offline" || planners; };
  for (const Published& p : table.published)
    if (shown(p) &&
        std::find(theirs.begin(), theirs.end(), std::pair(p.solver, p.source)) == theirs.end())
      theirs.emplace_back(p.solver, p.source);
  for (const auto& [solver, source] : theirs) {
    out += fmt::format("| *{}, {}* |", solver, source);
    for (const std::string& model : table.models) {
      std::string text;
      for (const Published& p : table.published)
        if (p.model == model && p.solver == solver && p.source == source && shown(p))
          text = fmt::format("*{:.2f}{}*{}", p.mean,
                             p.spread ? fmt::format(" ± {:.2f}", *p.spread) : "",
                             p.note.empty() ? "" : " " + p.note);
      out += " " + text + " |";
    }
    out += "\n";
  }
  out +=
      "\nOurs: mean over runs ± standard deviation over runs (standard error of the mean, from the "
      "simulation\nalone). **Bold**: the highest of those of ours with the most maps; [n of m]: a "
      "mean over fewer runs. —: the "
      "solver cannot take the\nmodel. †: ended by the memory limit. *Italic*: published by others, "
      "on other maps and machines.\n";

  out +=
      "\nNodes (vectors of solvers of tables) / seconds of planning / megabytes, means over "
      "runs:\n\n" +
      header(table.models);
  for (const std::string& solver : table.solvers) {
    out += "| " + solver + " |";
    for (const std::string& model : table.models) {
      const Row* row = table.find(model, solver);
      if (!row || !row->has_score())
        out += " |";
      else if (row->seconds_per_step > 0)
        out += fmt::format(" — / {:.2g} a step / {:.0f} |", row->seconds_per_step,
                           row->peak_memory / 1e6);
      else
        out += fmt::format(" {} / {:.0f} / {:.0f} |", count_text(row->nodes), row->seconds,
                           row->peak_memory / 1e6);
    }
    out += "\n";
  }
  return out;
}

std::string duels_markdown(const Table& table) {
  if (table.duels.empty()) return "";
  std::string out =
      "| model | better | worse | difference | standard error | p, these runs | p, such maps |\n"
      "|---|---|---|--:|--:|--:|--:|\n";
  int shown = 0, undecided = 0;
  for (const Duel& d : table.duels) {
    if (!(d.p_corrected < kLevel)) {
      ++undecided;
      continue;
    }
    const bool first = d.difference > 0;
    out +=
        fmt::format("| {} | {} | {} | {:.3f} | {:.3f} | {} | {} |\n", d.model,
                    first ? d.first : d.second, first ? d.second : d.first, std::abs(d.difference),
                    d.standard_error, p_text(d.p_corrected), p_text(d.p_runs_corrected));
    ++shown;
  }
  if (shown == 0) out.clear();
  return out + fmt::format(
                   "\n{} of {} pairs differ at the level {} after Holm's correction; {} are "
                   "undecided.\n",
                   shown, table.duels.size(), kLevel, undecided);
}

}  // namespace penumbra::cli

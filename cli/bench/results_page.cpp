#include "cli/bench/results_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/bench/figures.h"
#include "penumbra/io/replace_file.h"

namespace penumbra::cli {
namespace {

// "Recurrent PPO" and "PPO" are one solver, "nvi" and "NVI" too.
bool same_solver(const std::string& ours, const std::string& theirs) {
  auto lower = [](std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  const std::string a = lower(ours), b = lower(theirs);
  return a == b || b.ends_with(" " + a);
}

// Maps differ by more than solvers: rows are compared only over the same maps and seeds.
bool same_runs(const Row& a, const Row& b) {
  auto has = [](const Row& row, const RunScore& run) {
    return std::any_of(row.runs.begin(), row.runs.end(), [&](const RunScore& other) {
      return other.map == run.map && other.seed == run.seed;
    });
  };
  return a.runs.size() == b.runs.size() &&
         std::all_of(a.runs.begin(), a.runs.end(), [&](const RunScore& r) { return has(b, r); });
}

// Of those with the most runs, as in the table.
const Row* best_of(const Table& table, const std::string& model) {
  const Row* best = nullptr;
  for (const std::string& solver : table.solvers)
    if (const Row* row = table.find(model, solver); row && row->has_score())
      if (!best || row->runs.size() > best->runs.size() ||
          (row->runs.size() == best->runs.size() && row->mean > best->mean))
        best = row;
  return best;
}

// How far the first solver is behind the one that is most above it on the same runs.
std::string behind_another(const Table& table, const std::string& model) {
  const Row* main = table.find(model, table.solvers[0]);
  if (!main || !main->has_score()) return "";
  const Row* above = nullptr;
  const Duel* duel = nullptr;
  double lead = 0;
  for (const std::string& solver : table.solvers) {
    const Row* row = table.find(model, solver);
    const Duel* d = table.duel(model, main->solver, solver);
    if (!row || !d || !same_runs(*main, *row) || !(d->p_corrected < 0.05)) continue;
    const double by = d->second == main->solver ? d->difference : -d->difference;
    if (by <= lead) continue;
    above = row;
    duel = d;
    lead = by;
  }
  if (!above) return "";
  return fmt::format("- {}: {} is {:.2f} ± {:.2f} below {} on the same episodes of {}.\n", model,
                     main->solver, lead, duel->standard_error, above->solver,
                     duel->runs == 1 ? "one run" : fmt::format("{} runs", duel->runs));
}

std::string against_published(const Table& table) {
  std::string out;
  for (const Published& p : table.published) {
    if (p.kind != "offline") continue;
    for (const std::string& solver : table.solvers) {
      const Row* row = table.find(p.model, solver);
      if (!row || !same_solver(solver, p.solver)) continue;
      if (!row->has_score())
        out +=
            fmt::format("- {}: {} has no score here ({}); {:.2f} is published ({}).\n", p.model,
                        solver, row->problem.empty() ? "not run" : row->problem, p.mean, p.source);
      else if (row->mean < p.mean)
        out += fmt::format("- {}: {} scores {:.2f}, {:.2f} below the published {:.2f} ({}).\n",
                           p.model, solver, row->mean, p.mean - row->mean, p.mean, p.source);
    }
  }
  return out;
}

std::string against_best(const Table& table) {
  std::string out;
  for (const std::string& model : table.models) {
    const Row* best = best_of(table, model);
    if (!best) continue;
    const Published* highest = nullptr;
    for (const Published& p : table.published)
      if (p.model == model && p.kind == "offline" && (!highest || p.mean > highest->mean))
        highest = &p;
    if (highest && highest->mean > best->mean)
      out += fmt::format(
          "- {}: the best of ours, {}, scores {:.2f}; the best published is {:.2f} ({}, {}).\n",
          model, best->solver, best->mean, highest->mean, highest->solver, highest->source);
    out += behind_another(table, model);
  }
  return out;
}

// A line for each solver and each budget that it was given, with the models that had it.
std::string makings(const Experiment& e, const Table& table) {
  struct Making {
    std::string solver, options;
    std::vector<std::string> models;
    std::set<uint64_t> maps, seeds;
  };
  std::vector<Making> all;
  for (const Cell& cell : e.cells) {
    if (const Row* row = table.find(cell.model, cell.solver); row && !row->has_score()) continue;
    std::vector<std::string> options;
    for (const auto& [key, value] : cell.config) options.push_back(key + " " + value);
    const std::string text =
        fmt::format("{}{}{}", cell.policy.empty() ? cell.solver_name : cell.policy,
                    options.empty() ? "" : ": ", fmt::join(options, ", "));
    auto same = [&](const Making& m) { return m.solver == cell.solver && m.options == text; };
    auto at = std::find_if(all.begin(), all.end(), same);
    if (at == all.end()) at = all.insert(at, {cell.solver, text, {}, {}, {}});
    if (std::find(at->models.begin(), at->models.end(), cell.model) == at->models.end())
      at->models.push_back(cell.model);
    if (cell.map) at->maps.insert(*cell.map);
    at->seeds.insert(cell.seed);
  }
  std::string out;
  for (const ModelRow& model : e.models)
    out += fmt::format("- {}: `{}`\n", model.name, model.domain);
  out += "\n| row | models | maps | seeds | options |\n|---|---|---|---|---|\n";
  for (const Making& m : all)
    out += fmt::format("| {} | {} | {} | {} | `{}` |\n", m.solver, fmt::join(m.models, ", "),
                       fmt::join(m.maps, ", "), fmt::join(m.seeds, ", "), m.options);
  return out;
}

std::string hours(const Table& table, const BenchFolder& folder) {
  double wall = 0;
  for (const Cell& cell : folder.experiment().cells)
    if (const auto result = folder.result(cell.id)) wall += result->value("wall_seconds", 0.0);
  return fmt::format("{} of {} cells, {} failed, {:.2f} hours of cells in all", table.done,
                     table.cells, table.failed, wall / 3600);
}

}  // namespace

std::string standing(const Table& table) {
  const std::string out = against_published(table) + against_best(table);
  return out.empty() ? "Nowhere in this table.\n" : out;
}

void write_tables(const BenchFolder& folder, const Table& table) {
  replace_file(folder.file("table.json"),
               table_json(table).dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  replace_file(folder.file("table.csv"), table_csv(table));
  replace_file(folder.file("table.md"), table_markdown(table) + "\n" + duels_markdown(table));
  for (const FigureRow& figure : folder.experiment().figures)
    replace_file(folder.file("figures/" + figure.name + ".svg"),
                 svg_chart(make_figure(folder, table, figure)));
}

void write_results_page(const BenchFolder& folder, const Table& table, const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path figures = fs::path(path).replace_extension();
  const Experiment& e = folder.experiment();
  std::string out = fmt::format(
      "# Results\n\nGenerated by `penumbra bench {} --scale {}` on {}: {}. Do not edit.\n\n",
      e.file, e.scale, time_of_day().substr(0, 10), hours(table, folder));
  for (const std::string& program : table.programs) out += fmt::format("- Program: {}\n", program);
  for (const std::string& machine : table.machines) out += fmt::format("- Machine: {}\n", machine);
  out += "\n## " + e.title + "\n\n" + table_markdown(table);
  out += "\n## Where we are behind\n\n" + standing(table) +
         "\nPublished scores are means over other random maps, so that differences within the "
         "spread over maps say little.\n";
  out +=
      "\n## Which is better\n\nDifferences on the same maps and the same random numbers. *p, these "
      "runs*: the two policies differ on these\nmaps (paired over episodes). *p, such maps*: the "
      "solvers differ on maps like these (paired t-test over the\nruns). Both after Holm's "
      "correction over all pairs.\n\n" +
      duels_markdown(table);
  out += "\n## What the rows were made with\n\n" + makings(e, table);
  if (!e.figures.empty()) {
    fs::create_directories(figures);
    out += "\n## Figures\n";
    for (const FigureRow& figure : e.figures) {
      replace_file((figures / (figure.name + ".svg")).string(),
                   svg_chart(make_figure(folder, table, figure)));
      out += fmt::format("\n![{}]({}/{}.svg)\n", figure.title, figures.filename().string(),
                         figure.name);
    }
  }
  replace_file(path, out);
}

}  // namespace penumbra::cli

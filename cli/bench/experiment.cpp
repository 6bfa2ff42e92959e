#include "cli/bench/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/base/rng.h"
#include "penumbra/base/spec.h"
#include "penumbra/io/any_policy.h"
#include "penumbra/io/model_file.h"
#include "penumbra/runs/duration.h"
#include "penumbra/runs/experiment_file.h"
#include "penumbra/runs/load.h"
#include "penumbra/runs/plugin.h"
#include "penumbra/runs/read_text.h"
#include "penumbra/runs/solve_options.h"
#include "penumbra/search/planners.h"
#include "penumbra/solvers/registry.h"

namespace penumbra::cli {
namespace {

constexpr const char* kFigureKinds[] = {"bounds", "parameter", "score-by-nodes", "score-by-time"};
// Set by the bench itself.
constexpr const char* kNotOptions[] = {"domain", "solver", "seed",   "output", "run",
                                       "json",   "quiet",  "config", "dry-run"};

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Of those options what a policy without a solve has.
constexpr const char* kScoreOptions[] = {"episodes", "scoring", "threads", "strict", "load-memory"};

// What one table says about cells: options of a solve, and how many maps and seeds.
struct Layer {
  std::optional<uint64_t> maps, seeds;
  std::optional<std::string> planning;  // parameters of planners, above their own
  size_t line = 0;
  std::vector<FileTable::Value> options;
  std::vector<std::string> models, solvers, scales;  // it is for; empty: for all

  bool is_for(const std::string& model, const std::string& solver) const {
    return (models.empty() || contains(models, model)) &&
           (solvers.empty() || contains(solvers, solver));
  }
};

class Reader {
 public:
  Reader(const std::string& text, const std::string& file, const std::string& scale)
      : file_(parse_experiment_file(text, file)) {
    declare_solve_options(record_, options_);
    for (const Declared& option : record_.declared())
      if (std::find(std::begin(kNotOptions), std::end(kNotOptions), option.key) ==
          std::end(kNotOptions))
        option_names_.push_back(option.key);
    out_.file = file;
    out_.scale = scale;
  }

  Experiment read() {
    FileTable& top = file_.top;
    const std::optional<std::string> name = top.text("name"), title = top.text("title");
    top.finish({"name", "title", "defaults", "scales", "models", "solvers", "overrides", "figures",
                "published"});
    out_.name = name ? *name : top.required("name");
    out_.title = title.value_or(out_.name);
    read_models();
    read_solvers();
    read_scale();
    for (FileTable& table : file_.overrides) read_override(table);
    for (FileTable& table : file_.figures) read_figure(table);
    for (FileTable& table : file_.published) {
      out_.published.push_back(read_published(table));
      check_known(table, "model", out_.published.back().model, model_names_);
    }
    for (const ModelRow& model : out_.models)
      for (size_t s = 0; s < out_.solvers.size(); ++s)
        if (const SolverRow& solver = out_.solvers[s];
            solver.only.empty() || contains(solver.only, model.name))
          add_cells(model, solver, solver_layers_[s]);
    return std::move(out_);
  }

 private:
  void read_models() {
    for (FileTable& table : file_.models) {
      const size_t domain_line = table.line_of("domain");
      ModelRow row{table.required("name"), table.required("domain"), {}};
      for (const std::string& map : table.list("maps")) {
        int64_t number;
        if (!parse_number(map, number) || number < 0)
          table.fail(table.line, "maps must be a list of whole numbers");
        row.maps.push_back(static_cast<uint64_t>(number));
      }
      table.finish({"name", "domain", "maps"});
      check_model(row, table, domain_line);
      add_name(model_names_, row.name, table);
      out_.models.push_back(std::move(row));
    }
    if (out_.models.empty()) file_.top.fail(1, "an experiment needs [[models]]");
  }

  // A domain that is not there is told now, not by each of its cells.
  void check_model(const ModelRow& row, const FileTable& table, size_t line) {
    const bool plugin = is_plugin_path(row.domain);
    if (plugin || is_model_path(row.domain)) {
      if (!row.maps.empty()) table.fail(line, "a model file has no maps");
      const std::string file = plugin ? plugin_file(row.domain) : row.domain;
      if (!std::filesystem::exists(file)) table.fail(line, "there is no model file '" + file + "'");
      return;
    }
    try {
      check_domain(row.maps.empty() ? row.domain : with_map(row.domain, row.maps[0]));
    } catch (const Error& error) {
      table.fail(line, error.what());
    }
  }

  static std::string with_map(const std::string& domain, uint64_t map) {
    Spec spec = Spec::parse(domain);
    spec.values.emplace_back("map_seed", std::to_string(map));
    return spec.text();
  }

  void read_solvers() {
    for (FileTable& table : file_.solvers) {
      SolverRow row;
      row.name = table.required("name");
      row.solver = table.text("solver").value_or(row.name);
      row.group = table.text("group").value_or("table");
      row.value = table.number("value");
      row.only = known(table, "models", model_names_);
      row.policy = table.text("policy").value_or("");
      if (!row.policy.empty() && row.solver != row.name)
        table.fail(table.line, "a row has a solver or a policy, not both");
      try {
        if (row.policy.empty())
          make_solver(row.solver);
        else
          row.solver = !search::is_planner(row.policy) && is_policy_path(row.policy)
                           ? row.policy
                           : Spec::parse(row.policy).name;
      } catch (const Error& error) {
        table.fail(table.line, error.what());
      }
      add_name(solver_names_, row.name, table);
      solver_layers_.push_back(read_layer(table));
      out_.solvers.push_back(std::move(row));
    }
    if (out_.solvers.empty()) file_.top.fail(1, "an experiment needs [[solvers]]");
  }

  void read_scale() {
    layers_.push_back(read_layer(file_.defaults));
    std::vector<std::string> names;
    for (FileTable& table : file_.scales) {
      names.push_back(table.name);
      table.name = "[scales." + table.name + "]";
      const Layer layer = read_layer(table);  // a misspelt key of any scale is told
      if (names.back() == out_.scale) layers_.push_back(layer);
    }
    scale_names_ = names;
    if (contains(names, out_.scale)) return;
    throw Error(fmt::format("{} has no scale '{}'; it has {}", out_.file, out_.scale,
                            fmt::join(names, ", ")));
  }

  void read_override(FileTable& table) {
    const std::vector<std::string> scales = known(table, "scales", scale_names_);
    Layer layer;
    layer.models = known(table, "models", model_names_);
    layer.solvers = known(table, "solvers", solver_names_);
    const Layer rest = read_layer(table);
    layer.maps = rest.maps;
    layer.seeds = rest.seeds;
    layer.planning = rest.planning;
    layer.line = rest.line;
    layer.options = rest.options;
    if (scales.empty() || contains(scales, out_.scale)) layers_.push_back(std::move(layer));
  }

  void read_figure(FileTable& table) {
    FigureRow row;
    row.name = table.required("name");
    row.kind = table.required("kind");
    row.title = table.text("title").value_or(row.name);
    if (const auto model = table.text("model")) {
      row.model = *model;
      check_known(table, "model", row.model, model_names_);
    }
    row.solvers = known(table, "solvers", solver_names_);
    row.group = table.text("group").value_or("");
    row.over = table.text("over").value_or("backups");
    table.finish({"name", "kind", "title", "model", "solvers", "group", "over"});
    if (row.over != "backups" && row.over != "seconds")
      table.fail(table.line, "over must be backups or seconds, not '" + row.over + "'");
    if (std::find(std::begin(kFigureKinds), std::end(kFigureKinds), row.kind) ==
        std::end(kFigureKinds))
      table.fail(table.line, fmt::format("there is no kind of figure '{}'; there are {}", row.kind,
                                         fmt::join(kFigureKinds, ", ")));
    if (row.kind == "parameter" ? row.group.empty() : row.model.empty())
      table.fail(table.line, fmt::format("a figure of kind {} needs {}", row.kind,
                                         row.kind == "parameter" ? "group" : "model"));
    for (char c : row.name)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-')
        table.fail(table.line, "the name of a figure is a file's: letters, digits and '-'");
    out_.figures.push_back(std::move(row));
  }

  // The keys that are left are options of a solve.
  Layer read_layer(FileTable& table) {
    Layer layer;
    layer.maps = table.count("maps");
    layer.seeds = table.count("seeds");
    layer.line = table.line_of("planning");
    layer.planning = table.text("planning");
    layer.options = table.values;
    for (const FileTable::Value& value : table.values) {
      if (!contains(option_names_, value.key)) {
        std::vector<std::string> names = option_names_;
        for (const char* key : {"maps", "seeds", "models", "solvers", "scales", "planning"})
          names.push_back(key);
        table.fail(value.line,
                   fmt::format("{}: there is no option '{}' of a solve that an experiment sets{}",
                               table.name, value.key, did_you_mean(value.key, names)));
      }
      if (value.list) table.fail(value.line, value.key + " must be one value, not a list");
      record_.set(value.key, value.texts[0], fmt::format("{}:{}: ", table.file, value.line));
    }
    return layer;
  }

  void add_cells(const ModelRow& model, const SolverRow& solver, const Layer& own) {
    std::vector<const Layer*> layers;
    for (const Layer& layer : layers_) layers.push_back(&layer);
    layers.insert(layers.begin() + 2, &own);  // after defaults and scale
    uint64_t maps = model.maps.size(), seeds = 1;
    std::string policy = solver.policy;
    std::map<std::string, const FileTable::Value*> options;
    for (const Layer* layer : layers) {
      if (!layer->is_for(model.name, solver.name)) continue;
      if (layer->maps) maps = std::min<uint64_t>(*layer->maps, model.maps.size());
      if (layer->seeds) seeds = *layer->seeds;
      if (layer->planning) policy = with_planning(policy, *layer->planning, layer->line);
      for (const FileTable::Value& value : layer->options) options[value.key] = &value;
    }
    if (policy.empty())
      check_settings(solver, options);
    else
      keep_options_of_policy(solver, policy, options);
    // The timing of a cell means nothing unless its threads are known.
    static const FileTable::Value kOneThread{"threads", {"1"}, false, 0};
    const FileTable::Value*& threads = options.try_emplace("threads", &kOneThread).first->second;
    if (threads->texts[0] == "0")
      file_.top.fail(threads->line, "threads must be stated: a number from 1");
    for (uint64_t m = 0; m < std::max<uint64_t>(1, maps); ++m) {
      if (!model.maps.empty() && maps == 0) break;
      for (uint64_t seed = 1; seed <= seeds; ++seed) {
        Cell cell;
        cell.model = model.name;
        cell.solver = solver.name;
        cell.solver_name = solver.solver;
        cell.policy = policy;
        cell.group = solver.group;
        cell.seed = seed;
        cell.domain = model.domain;
        if (!model.maps.empty()) {
          cell.map = model.maps[m];
          cell.domain = with_map(model.domain, *cell.map);
        }
        for (const auto& [key, value] : options) cell.config.emplace_back(key, value->texts[0]);
        set_id(cell);
        out_.cells.push_back(std::move(cell));
      }
    }
  }

  // A planner with parameters in place of its own; other policies stay as they are.
  std::string with_planning(const std::string& policy, const std::string& planning, size_t line) {
    if (!search::is_planner(policy)) return policy;
    try {
      Spec spec = Spec::parse(policy);
      for (const auto& [key, value] : Spec::parse("planning(" + planning + ")").values) {
        spec.take(key);
        if (key == "time") spec.take("simulations");
        if (key == "simulations") spec.take("time");
        spec.values.emplace_back(key, value);
      }
      return spec.text();
    } catch (const Error& error) {
      file_.top.fail(line, error.what());
    }
  }

  // What is left of the options for a policy that is only scored.
  void keep_options_of_policy(const SolverRow& row, const std::string& policy,
                              std::map<std::string, const FileTable::Value*>& options) {
    std::erase_if(options, [](const auto& option) {
      return std::find(std::begin(kScoreOptions), std::end(kScoreOptions), option.first) ==
             std::end(kScoreOptions);
    });
    if (!checked_.insert(policy).second) return;
    try {
      check_policy(policy);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}: {}", out_.file, row.name, error.what()));
    }
  }

  // Options of another solver are told now, not by the cell.
  void check_settings(const SolverRow& row,
                      const std::map<std::string, const FileTable::Value*>& options) {
    const std::unique_ptr<Solver> solver = make_solver(row.solver);
    OptionList list = solver->options();
    for (const auto& [key, value] : options) {
      const auto& all = record_.declared();
      const auto at = std::find_if(all.begin(), all.end(),
                                   [&, k = &key](const Declared& d) { return d.key == *k; });
      if (at == all.end() || at->kind != Declared::Kind::kSetting) continue;
      try {
        set_setting(list, row.solver, key, value->texts[0]);
      } catch (const Error& error) {
        file_.top.fail(value->line, error.what());
      }
    }
  }

  // Readable, and different for cells that differ in anything.
  void set_id(Cell& cell) {
    std::string id;
    for (char c : cell.model + "-" + cell.solver) {
      if (std::isalnum(static_cast<unsigned char>(c)))
        id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      else if (!id.empty() && id.back() != '-')
        id += '-';
    }
    if (id.back() == '-') id.pop_back();
    RngKey key = RngKey::from_seed(1);
    for (const std::string& word : cell_arguments(cell)) key = key.fold(word).fold(uint64_t{0});
    if (cell.map) id += fmt::format("-m{}", *cell.map);
    cell.id = fmt::format("{}-s{}-{:08x}", id, cell.seed, key.value & 0xffffffff);
    if (!ids_.insert(cell.id).second)
      throw Error(fmt::format("{}: {} is in the experiment twice", out_.file, describe(cell)));
  }

  void add_name(std::vector<std::string>& names, const std::string& name, const FileTable& table) {
    if (contains(names, name)) table.fail(table.line, "there are two named '" + name + "'");
    names.push_back(name);
  }
  void check_known(const FileTable& table, const std::string& key, const std::string& name,
                   const std::vector<std::string>& names) {
    if (contains(names, name)) return;
    table.fail(table.line,
               fmt::format("{}: the file has no '{}'{}", key, name, did_you_mean(name, names)));
  }
  std::vector<std::string> known(FileTable& table, const std::string& key,
                                 const std::vector<std::string>& names) {
    const std::vector<std::string> list = table.list(key);
    for (const std::string& name : list) check_known(table, key, name, names);
    return list;
  }

  ExperimentFile file_;
  OptionRecord record_;
  SolveOptions options_;
  std::vector<std::string> option_names_, model_names_, solver_names_, scale_names_;
  std::vector<Layer> layers_;         // defaults, the scale, overrides
  std::vector<Layer> solver_layers_;  // one per solver
  std::set<std::string> ids_, checked_;
  Experiment out_;
};

}  // namespace

Experiment parse_experiment(const std::string& text, const std::string& file,
                            const std::string& scale) {
  return Reader(text, file, scale).read();
}

Experiment read_experiment(const std::string& path, const std::string& scale) {
  return parse_experiment(read_text(path, "the experiment"), path, scale);
}

namespace {

void add_options(const Cell& cell, std::vector<std::string>& words) {
  for (const auto& [key, value] : cell.config) {
    if (key == "strict" && value == "false") continue;
    const bool limit = !cell.policy.empty() && key == "scoring";
    words.push_back(limit ? "--time" : "--" + key);
    if (key != "strict") words.push_back(value);
  }
}

}  // namespace

std::vector<std::string> cell_arguments(const Cell& cell) {
  // A solve scores on episodes other than its own; a policy beside it meets the same.
  if (!cell.policy.empty()) {
    std::vector<std::string> words = {"evaluate", cell.domain,
                                      "--policy", cell.policy,
                                      "--seed",   std::to_string(cell.seed + kScoreSeed)};
    add_options(cell, words);
    return words;
  }
  std::vector<std::string> words = {"solve",          cell.domain, "--solver",
                                    cell.solver_name, "--seed",    std::to_string(cell.seed)};
  add_options(cell, words);
  return words;
}

std::string command_text(const Cell& cell) {
  std::string text;
  for (const std::string& word : cell_arguments(cell)) {
    const bool plain = word.find_first_of("()[] ,;'\"$") == std::string::npos;
    text += fmt::format("{}{}", text.empty() ? "" : " ", plain ? word : "'" + word + "'");
  }
  return text;
}

double time_limit_of(const Cell& cell) {
  for (const auto& [key, value] : cell.config)
    if (key == (cell.policy.empty() ? "time" : "scoring")) return parse_duration("time", value);
  return 0;
}

std::string describe(const Cell& cell) {
  return fmt::format("{}, {}{}, seed {}", cell.model, cell.solver,
                     cell.map ? fmt::format(", map {}", *cell.map) : "", cell.seed);
}

}  // namespace penumbra::cli

#include "penumbra/runs/solve_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "penumbra/base/error.h"
#include "penumbra/runs/duration.h"
#include "penumbra/solvers/registry.h"

namespace penumbra {
namespace {

// When a solve ends and what it says: these may change when it is resumed.
constexpr const char* kFree[] = {"time",       "scoring",  "backups", "nodes",  "gap",
                                 "memory",     "episodes", "threads", "output", "execute",
                                 "checkpoint", "json",     "quiet",   "strict", "load-memory"};
constexpr const char* kNotKept[] = {"run", "dry-run"};

bool is_one_of(const std::string& key, std::span<const char* const> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool has_option(const OptionList& list, const std::string& name) {
  const std::vector<Option>& all = list.options();
  return std::any_of(all.begin(), all.end(), [&](const Option& o) { return o.name == name; });
}

}  // namespace

void declare_solve_options(OptionRecord& options, SolveOptions& o) {
  options.positional(
      "DOMAIN", o.domain, Need::kRequired,
      "the problem: a name (penumbra domains lists them) or a .pomdp or .pomdpx file");
  options.text("--solver", o.solver, Need::kOptional,
               "which one: penumbra solvers lists them; auto picks by the model (auto)");
  options.text("--time", o.time, Need::kOptional,
               "when to stop: 90, 90s, 10m, 2h, 0 for never (60s; never with --backups)");
  options.text("--scoring", o.scoring, Need::kOptional,
               "how long the final score may take beyond --time (nothing: time is kept for it)");
  options.count("--backups", o.backups, 0, INT64_MAX,
                "stop after this much work, with the round in which it is done; repeatable; 0: no "
                "limit (0)");
  options.count("--nodes", o.nodes, 0, INT32_MAX, "stop at this many nodes; 0: no limit (0)");
  options.text("--gap", o.gap, Need::kOptional, "stop when the value is this close to the bound");
  options.count("--memory", o.memory, 0, INT32_MAX,
                "stop before this many megabytes are in use; 0: no limit (0)");
  options.count("--episodes", o.episodes, 1, kMaxEpisodes, "of the final score (100000)");
  options.text("--execute", o.execute, Need::kOptional,
               "how the final score executes a controller: controller (its node alone) or belief");
  options.text("--macro-actions", o.macro_actions, Need::kOptional,
               "plan over longer strides too: own (the domain's), repeat=K (every action K times)");
  options.text("-o,--output", o.output, Need::kOptional, "where the policy goes");
  options.text("--run", o.run, Need::kOptional,
               "a new folder for policy, checkpoints, configuration and log (docs/runs.md)");
  options.text("--checkpoint", o.checkpoint, Need::kOptional,
               "how often a run is saved; 0: only half way, at its end and on signals (60s)");
  options.flag("--dry-run", o.dry_run, "print what would be done, and do nothing");
  for (const SolverEntry& entry : solvers()) {
    const std::unique_ptr<Solver> solver = entry.make();
    const OptionList own = solver->options();
    for (const Option& option : own.options())
      if (const auto [at, is_new] = o.settings.try_emplace(option.name); is_new)
        options.setting(option, at->second);
  }
  declare_common(options, o.common);
}

void set_setting(OptionList& options, const std::string& solver, const std::string& name,
                 const std::string& value) {
  if (has_option(options, name)) try {
      return options.set(name, value);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", solver, error.what()));
    }
  std::vector<std::string> own, others;
  for (const Option& option : options.options()) own.push_back(option.name);
  for (const SolverEntry& entry : solvers()) {
    const std::unique_ptr<Solver> other = entry.make();
    if (has_option(other->options(), name)) others.push_back(entry.name);
  }
  throw Error(fmt::format(
      "the solver {} has no option '{}'{}{}; penumbra solvers {} lists those it has", solver, name,
      did_you_mean(name, own),
      others.empty() ? "" : fmt::format(", which is one of {}", fmt::join(others, ", ")), solver));
}

std::vector<std::string> controller_solvers() {
  std::vector<std::string> names;
  for (const SolverEntry& entry : solvers()) {
    const std::unique_ptr<Solver> solver = entry.make();
    if (solver->makes() == PolicyForm::kController) names.push_back(entry.name);
  }
  return names;
}

std::string time_limit(const SolveOptions& o) {
  return !o.time.empty() ? o.time : o.backups > 0 ? "0" : "60s";
}

Limits read_limits(const SolveOptions& o) {
  Limits limits;
  limits.seconds = parse_duration("--time", time_limit(o));
  limits.backups = o.backups;
  limits.nodes = static_cast<int>(o.nodes);
  limits.memory = static_cast<double>(o.memory) * 1e6;
  limits.cancelled = o.common.interrupted;
  if (!o.gap.empty() && (!parse_number(o.gap, limits.gap) || limits.gap <= 0))
    throw Error("--gap must be a number above 0, not '" + o.gap + "'");
  return limits;
}

ConfigTable effective_config(const SolveOptions& o, const OptionRecord& options,
                             const OptionList& solver) {
  ConfigTable table;
  for (const Declared& option : options.declared()) {
    if (is_one_of(option.key, kNotKept)) continue;
    std::string value = option.key == "time" ? time_limit(o) : option.get();
    if (option.kind == Declared::Kind::kSetting) {
      value.clear();
      for (const Option& own : solver.options())
        if (own.name == option.key) value = own.get();
    }
    if (!value.empty()) table.emplace_back(option.key, value);
  }
  return table;
}

ConfigTable decisive_options(const ConfigTable& config) {
  ConfigTable out;
  for (const auto& entry : config)
    if (!is_one_of(entry.first, kFree)) out.push_back(entry);
  return out;
}

void check_same_problem(const ConfigTable& began_with, const ConfigTable& now) {
  auto value = [](const ConfigTable& table, const std::string& key) {
    for (const auto& [name, text] : table)
      if (name == key) return text;
    return std::string("unknown");
  };
  for (const ConfigTable* table : {&began_with, &now})
    for (const auto& [key, text] : *table) {
      if (is_one_of(key, kFree)) continue;
      const std::string before = value(began_with, key), after = value(now, key);
      if (before != after)
        throw Error(fmt::format(
            "the run began with {} = {}, its configuration now says {}; a run goes on as it began: "
            "start a new one with --run for other options",
            key, before, after));
    }
}

}  // namespace penumbra

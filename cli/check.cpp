// penumbra check: what is wrong or odd about a model, in words, and how large it is.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/json.h"
#include "penumbra/io/model_file.h"
#include "penumbra/model/check_model.h"
#include "penumbra/model/lint.h"
#include "penumbra/runs/load.h"

namespace penumbra::cli {
namespace {

constexpr const char* kCheckExamples =
    "Examples:\n"
    "  penumbra check maze.pomdp\n"
    "  penumbra check maze.pomdpx --strict\n"
    "  penumbra check 'rock-sample(n=7,k=8)'\n"
    "\n"
    "Exit code 1 when there is a problem, 0 for warnings and notes. A domain is simulated too, "
    "and\n"
    "must keep the promises of docs/write-a-pomdp.md.\n";

struct CheckArguments {
  std::string model;
  CommonOptions common;
};

struct Result {
  std::vector<Finding> findings;
  bool has_table = false;
  Tabular table;
};

Result examine(const CheckArguments& o) {
  Result r;
  if (is_model_path(o.model)) {
    CommonOptions silent = o.common;  // the warnings are findings
    silent.quiet = true;
    ModelFile file = load_file(o.model, silent);
    for (std::string& warning : file.warnings)
      r.findings.push_back({Finding::Kind::kWarning, std::move(warning)});
    r.table = std::move(file.table);
    r.has_table = true;
  } else {
    const std::unique_ptr<Pomdp> model = load_model(o.model, o.common);
    for (std::string& problem : check_model(*model))
      r.findings.push_back({Finding::Kind::kProblem, std::move(problem)});
    r.has_table = model->has(Capability::kTable);
    if (r.has_table) r.table = model->table();
    if (!r.has_table)
      r.findings.push_back(
          {Finding::Kind::kNote, "It offers no explicit table: checked by simulation alone."});
  }
  if (r.has_table)
    for (Finding& f : lint(r.table)) r.findings.push_back(std::move(f));
  return r;
}

const char* word(Finding::Kind kind) {
  return kind == Finding::Kind::kProblem   ? "problem"
         : kind == Finding::Kind::kWarning ? "warning"
                                           : "note";
}

void print_text(const CheckArguments& o, const Result& r) {
  fmt::print("{}\n", o.model);
  if (r.has_table) {
    const Tabular& t = r.table;
    const TableSize size = table_size(t);
    std::string parts;
    if (!t.visible.empty())
      parts = fmt::format(" ({} visible x {} hidden)", t.num_visible,
                          t.num_states / std::max(1, t.num_visible));
    fmt::print("  sizes     {} states{}, {} actions, {} observations, discount {:g}\n",
               t.num_states, parts, t.num_actions, t.num_observations, t.discount);
    if (t.variables.size() > 1) {
      std::vector<std::string> names;
      for (const StateVariable& v : t.variables)
        names.push_back(fmt::format("{} ({}{})", v.name, v.size(), v.visible ? ", visible" : ""));
      fmt::print("  variables {}\n", fmt::join(names, ", "));
    }
    fmt::print("  entries   {} transitions, {} observations\n", size.transitions,
               size.observations);
    fmt::print("  memory    {:.1f} MB as a table\n", size.bytes / 1e6);
  }
  for (const Finding& f : r.findings) fmt::print("  {:<9} {}\n", word(f.kind), f.text);
  if (r.findings.empty()) fmt::print("  nothing to remark\n");
}

void print_result_json(const CheckArguments& o, const Result& r) {
  Json out;
  out["model"] = o.model;
  if (r.has_table) {
    const TableSize size = table_size(r.table);
    out["num_states"] = r.table.num_states;
    out["num_visible"] = r.table.num_visible;
    out["num_actions"] = r.table.num_actions;
    out["num_observations"] = r.table.num_observations;
    out["discount"] = r.table.discount;
    out["transitions"] = size.transitions;
    out["observations"] = size.observations;
    out["bytes"] = size.bytes;
  }
  out["findings"] = Json::array();
  for (const Finding& f : r.findings)
    out["findings"].push_back({{"kind", word(f.kind)}, {"text", f.text}});
  print_json(out);
}

int run(const CheckArguments& o) {
  const Result r = examine(o);
  if (o.common.json)
    print_result_json(o, r);
  else
    print_text(o, r);
  for (const Finding& f : r.findings)
    if (f.kind == Finding::Kind::kProblem) return kBadInput;
  return kOk;
}

}  // namespace

std::function<int()> declare_check(Flags& flags) {
  auto o = std::make_shared<CheckArguments>();
  flags.positional("MODEL", o->model, Need::kRequired, "a .pomdp or .pomdpx file, or a domain");
  declare_model(flags, o->common);
  declare_output(flags, o->common);
  flags.examples(kCheckExamples);
  return [o] { return run(*o); };
}

}  // namespace penumbra::cli

// penumbra solvers: the list, and the options of one.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/json.h"
#include "penumbra/solvers/registry.h"

namespace penumbra::cli {
namespace {

struct SolversArguments {
  std::string solver;
  CommonOptions common;
};

int list_all(bool json) {
  Json out = Json::array();
  for (const SolverEntry& entry : solvers()) {
    std::string needs = describe(entry.make()->needs());
    if (needs.empty()) needs = "nothing but a simulator";
    if (json)
      out.push_back({{"name", entry.name}, {"summary", entry.summary}, {"needs", needs}});
    else
      fmt::print("{:<8} {}\n{:<8} needs {}\n", entry.name, entry.summary, "", needs);
  }
  if (json) print_json(out);
  return kOk;
}

int list_options_of(const std::string& name, bool json) {
  const std::unique_ptr<Solver> solver = make_solver(name);
  const OptionList options = solver->options();
  Json out = Json::array();
  for (const Option& option : options.options()) {
    if (json)
      out.push_back({{"name", option.name},
                     {"default", option.fallback},
                     {"allowed", option.allowed},
                     {"help", option.help}});
    else
      fmt::print("{:<18} {} ({}; default {})\n", option.name, option.help, option.allowed,
                 option.fallback);
  }
  if (json) print_json(out);
  return kOk;
}

}  // namespace

std::function<int()> declare_solvers(Flags& flags) {
  auto o = std::make_shared<SolversArguments>();
  flags.positional("SOLVER", o->solver, Need::kOptional, "list the options of this one");
  declare_output(flags, o->common);
  flags.examples(
      "Examples:\n"
      "  penumbra solvers\n"
      "  penumbra solvers nvi\n");
  return [o] {
    return o->solver.empty() ? list_all(o->common.json)
                             : list_options_of(o->solver, o->common.json);
  };
}

}  // namespace penumbra::cli

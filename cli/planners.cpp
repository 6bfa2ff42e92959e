// penumbra planners: the planners that policies can name, and the parameters of one.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/json.h"
#include "cli/listings.h"
#include "domains/registry.h"
#include "penumbra/search/planners.h"

namespace penumbra::cli {
namespace {

struct PlannersArguments {
  std::string planner;
  CommonOptions common;
};

int list_all(bool json) {
  Json out = Json::array();
  for (const search::PlannerInfo& planner : search::planners()) {
    const std::string needs = describe(planner.needs);
    if (json)
      out.push_back({{"name", planner.name}, {"summary", planner.summary}, {"needs", needs}});
    else
      fmt::print("{:<11} {}\n{:<11} needs {}\n", planner.name, planner.summary, "", needs);
  }
  if (json) print_json(out);
  return kOk;
}

int list_parameters_of(const std::string& name, bool json) {
  Json out = Json::array();
  for (const Params::Declaration& p : planner_parameters(name)) {
    if (json)
      out.push_back(
          {{"name", p.name}, {"default", p.fallback}, {"allowed", p.allowed}, {"help", p.help}});
    else
      fmt::print("{:<15} {} ({}; default {})\n", p.name, p.help, p.allowed,
                 p.fallback.empty() ? "none" : p.fallback);
  }
  if (json) print_json(out);
  return kOk;
}

}  // namespace

std::vector<Params::Declaration> planner_parameters(const std::string& name) {
  // Parameters are declared where they are read; any small model will do for that.
  const std::unique_ptr<Pomdp> model = load_finite_domain("tiger");
  ThreadPool pool(1);
  std::vector<Params::Declaration> all = search::named_planner(name, *model, {}, pool).parameters;
  for (Params::Declaration& p : all)
    if (p.name == "raw") p.fallback = "by the model";
  return all;
}

std::function<int()> declare_planners(Flags& flags) {
  auto o = std::make_shared<PlannersArguments>();
  flags.positional("PLANNER", o->planner, Need::kOptional, "list the parameters of this one");
  declare_output(flags, o->common);
  flags.examples(
      "Examples:\n"
      "  penumbra planners\n"
      "  penumbra planners despot\n"
      "  penumbra evaluate 'rock-sample(n=7,k=8)' --policy 'despot(time=10ms)' --episodes 4\n"
      "\n"
      "A planner is a policy that plans while it acts (docs/online.md).\n");
  return [o] {
    return o->planner.empty() ? list_all(o->common.json)
                              : list_parameters_of(o->planner, o->common.json);
  };
}

}  // namespace penumbra::cli

// penumbra domains: what problems there are, and what parameters each takes.
#include "domains/registry.h"

#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/json.h"
#include "penumbra/runs/load.h"
#include "penumbra/runs/plugin.h"

namespace penumbra::cli {
namespace {

constexpr const char* kDomainsExamples =
    "Examples:\n"
    "  penumbra domains                  every domain in a line\n"
    "  penumbra domains rock-sample      its parameters: default, range, meaning\n"
    "  penumbra domains light-dark --json\n"
    "\n"
    "Wherever a command takes a DOMAIN, parameters go into brackets (quote them for the shell):\n"
    "  penumbra evaluate 'rock-sample(n=11,k=11,map_seed=3)' --policy random\n";

struct DomainsArguments {
  std::string domain;
  CommonOptions common;
};

void list_all(const DomainsArguments& o) {
  if (o.common.json) {
    Json list = Json::array();
    for (const Domain& d : domains()) list.push_back({{"name", d.name}, {"summary", d.summary}});
    return print_json({{"domains", list}});
  }
  for (const Domain& d : domains()) fmt::print("{:<14} {}\n", d.name, d.summary);
  if (!o.common.quiet) fmt::print(stderr, "\nparameters of one: penumbra domains NAME\n");
}

void list_one(const DomainsArguments& o) {
  const bool own = is_plugin_path(o.domain);
  const Domain* domain = own ? nullptr : &find_domain(Spec::parse(o.domain).name);
  const std::string name = own ? plugin_file(o.domain) : domain->name;
  const std::string summary = own ? "a model of your own" : domain->summary;
  const auto model = load_model(o.domain, o.common);
  const Facts& f = model->facts();
  const auto parameters = own ? plugin_parameters(o.domain, o.common) : domain_parameters(*domain);
  if (o.common.json) {
    Json list = Json::array();
    for (const auto& p : parameters)
      list.push_back(
          {{"name", p.name}, {"default", p.fallback}, {"allowed", p.allowed}, {"help", p.help}});
    return print_json({{"name", name},
                       {"summary", summary},
                       {"domain", f.name},
                       {"discount", f.discount},
                       {"num_actions", f.num_actions},
                       {"actions", f.action_names},
                       {"num_observations", f.num_observations},
                       {"observations", f.observation_names},
                       {"min_reward", f.min_reward},
                       {"max_reward", f.max_reward},
                       {"offers", describe(model->capabilities())},
                       {"parameters", list}});
  }
  auto some = [](int count) { return count > 0 ? std::to_string(count) : "continuous"; };
  auto names = [](const std::vector<std::string>& list) {
    return list.empty() ? std::string() : fmt::format(": {}", fmt::join(list, ", "));
  };
  fmt::print("{}: {}\n\n", name, summary);
  fmt::print("as {}:\n", f.name);
  fmt::print("  actions       {}{}\n", some(f.num_actions), names(f.action_names));
  fmt::print("  observations  {}{}\n", some(f.num_observations), names(f.observation_names));
  fmt::print("  rewards       {:g} to {:g} a step, discount {:g}\n", f.min_reward, f.max_reward,
             f.discount);
  fmt::print("  offers        {}\n", describe(model->capabilities()));
  fmt::print("\nparameters:\n");
  for (const auto& p : parameters)
    fmt::print("  {:<16} {}\n  {:<16} {}; default {}\n", p.name, p.help, "", p.allowed, p.fallback);
}

}  // namespace

std::function<int()> declare_domains(Flags& flags) {
  auto o = std::make_shared<DomainsArguments>();
  flags.positional("DOMAIN", o->domain, Need::kOptional,
                   "one domain, or a file of your own, to see its parameters");
  declare_output(flags, o->common);
  flags.examples(kDomainsExamples);
  return [o] {
    if (o->domain.empty())
      list_all(*o);
    else
      list_one(*o);
    return kOk;
  };
}

}  // namespace penumbra::cli

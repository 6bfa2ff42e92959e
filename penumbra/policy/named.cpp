#include "penumbra/policy/named.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/policy/simple.h"

namespace penumbra {

int find_action(const Facts& facts, const std::string& text) {
  for (size_t a = 0; a < facts.action_names.size(); ++a)
    if (facts.action_names[a] == text) return static_cast<int>(a);
  int64_t number;
  if (parse_number(text, number) && number >= 0 && number < facts.num_actions)
    return static_cast<int>(number);
  if (facts.action_names.empty())
    throw Error(fmt::format("{} has no action '{}'; its actions are 0 to {}", facts.name, text,
                            facts.num_actions - 1));
  throw Error(fmt::format("{} has no action '{}'; it has {}", facts.name, text,
                          fmt::join(facts.action_names, ", ")));
}

std::unique_ptr<Policy> named_policy(const std::string& spec, const Pomdp& model) {
  Params params(Spec::parse(spec));
  if (params.name() == "blind") {
    require(model, Capability::kFiniteActions, "the blind policy");
    const std::string action = params.text("action", "0", "an action's name or number");
    params.finish();
    return std::make_unique<BlindPolicy>(model, find_action(model.facts(), action));
  }
  if (params.name() == "random") {
    params.finish();
    return std::make_unique<RandomPolicy>(model);
  }
  throw Error(fmt::format("there is no policy '{}'; there are blind(action=NAME) and random",
                          params.name()));
}

}  // namespace penumbra

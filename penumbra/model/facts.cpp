#include "penumbra/model/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {

std::string Facts::action_name(int action) const {
  return action_names.empty() ? fmt::format("a{}", action) : action_names.at(action);
}
std::string Facts::observation_name(int seen) const {
  return observation_names.empty() ? fmt::format("o{}", seen) : observation_names.at(seen);
}

void check_observation_type(const Facts& facts, bool is_whole) {
  if (is_whole && facts.num_observations <= 0)
    throw Error(fmt::format(
        "{}: its observations are whole numbers, but num_observations is {}; set it to how many "
        "there are, or make Observation a float or a struct of floats",
        facts.name, facts.num_observations));
  if (!is_whole && facts.num_observations != 0)
    throw Error(fmt::format(
        "{}: num_observations is {}, but its observations are not whole numbers; set "
        "Observation = int for a finite set, or num_observations = 0 for a continuous one",
        facts.name, facts.num_observations));
}

void check_action_type(const Facts& facts, bool is_whole) {
  if (is_whole && facts.num_actions <= 0)
    throw Error(fmt::format(
        "{}: its actions are whole numbers, but num_actions is {}; set it to how many there are, "
        "or make Action a struct of floats",
        facts.name, facts.num_actions));
  if (!is_whole && facts.num_actions != 0)
    throw Error(fmt::format(
        "{}: num_actions is {}, but its Action is a struct; set num_actions = 0 and give "
        "action_low and action_high, or leave Action out for a finite set",
        facts.name, facts.num_actions));
}

std::string describe(Capabilities capabilities) {
  static constexpr struct {
    Capability capability;
    const char* words;
  } kWords[] = {
      {Capability::kFiniteActions, "finite actions"},
      {Capability::kFiniteObservations, "finite observations"},
      {Capability::kFeatures, "features"},
      {Capability::kLikelihood, "a likelihood"},
      {Capability::kCumulative, "a cumulative distribution of observations"},
      {Capability::kMdpValue, "an MDP value"},
      {Capability::kTable, "an explicit table"},
      {Capability::kPerturb, "a perturbation"},
      {Capability::kDrawing, "a drawing"},
      {Capability::kCoordinates, "coordinates"},
      {Capability::kScene, "a scene"},
  };
  std::string text;
  for (const auto& entry : kWords) {
    if (!capabilities.has(entry.capability)) continue;
    if (!text.empty()) text += ", ";
    text += entry.words;
  }
  return text;
}

double tail_bound(const Facts& facts, int steps) {
  const double size = std::max(std::abs(facts.min_reward), std::abs(facts.max_reward));
  return std::pow(facts.discount, steps) * size / (1 - facts.discount);
}

double least_value(const Facts& facts) {
  return std::min(0.0, facts.min_reward) / (1 - facts.discount);
}

int horizon_for(const Facts& facts, double bias) {
  const double whole = tail_bound(facts, 0);
  if (whole <= bias || facts.discount == 0) return 1;
  // With a discount very close to 1 nobody could follow an episode to its end.
  constexpr double kMost = 20'000;
  const double steps = std::ceil(std::log(bias / whole) / std::log(facts.discount));
  return static_cast<int>(std::min(kMost, steps));
}

}  // namespace penumbra

#include "penumbra/search/widening.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace penumbra::search {
namespace {
constexpr double kBoxActions = 10;  // k_actions of a box

float value_at(const std::byte* action, size_t k) {
  float value;
  std::memcpy(&value, action + k * sizeof value, sizeof value);
  return value;
}
}  // namespace

WideningOptions read_widening_options(Params& params, WideningOptions defaults) {
  WideningOptions options;
  options.k_actions = params.real("k_a", defaults.k_actions, 0, 1e6,
                                  "a belief has at most k_a N^alpha_a actions; 0: all of them, 10 "
                                  "if they are continuous");
  options.alpha_actions = params.real("alpha_a", defaults.alpha_actions, 0, 1, "see k_a");
  options.omega = params.real("omega", defaults.omega, 0, 1,
                              "share of continuous actions that are drawn from everywhere, the "
                              "others near the best one");
  options.k_seen = params.real("k_o", defaults.k_seen, 0, 1e6,
                               "an action leads to at most k_o N^alpha_o observations");
  options.alpha_seen = params.real("alpha_o", defaults.alpha_seen, 0, 1, "see k_o");
  return options;
}

Widening::Widening(const Pomdp& model, WideningOptions options)
    : model_(model),
      options_(options),
      num_actions_(model.facts().num_actions),
      all_at_once_(num_actions_ > 0 && options.k_actions == 0),
      action_(model.action_size()) {
  if (num_actions_ == 0 && options_.k_actions == 0) options_.k_actions = kBoxActions;
  stride_ = std::max(1, static_cast<int>(0.618 * num_actions_));
  while (num_actions_ > 0 && std::gcd(stride_, num_actions_) != 1) ++stride_;
}

const std::byte* Widening::finite_action(int b, int k) {
  const uint64_t first = RngKey::mix(b + 1) % num_actions_;
  const auto a = static_cast<int32_t>((first + uint64_t(k) * stride_) % num_actions_);
  std::memcpy(action_.data(), &a, sizeof a);
  return action_.data();
}

double Widening::distance(const std::byte* action) const {
  const Facts& facts = model_.facts();
  double sum = 0;
  for (size_t k = 0; k < facts.action_low.size(); ++k) {
    const double width = facts.action_high[k] - facts.action_low[k];
    if (width <= 0) continue;
    const double apart = (value_at(action_.data(), k) - value_at(action, k)) / width;
    sum += apart * apart;
  }
  return sum;
}

void Widening::draw_near(const std::byte* centre, double deviation, Rng& rng) {
  const Facts& facts = model_.facts();
  for (size_t k = 0; k < facts.action_low.size(); ++k) {
    const float low = facts.action_low[k], high = facts.action_high[k];
    const auto x = static_cast<float>(rng.normal(value_at(centre, k), deviation * (high - low)));
    const float inside = std::clamp(x, low, high);
    std::memcpy(action_.data() + k * sizeof inside, &inside, sizeof inside);
  }
}

}  // namespace penumbra::search

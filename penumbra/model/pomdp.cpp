#include "penumbra/model/pomdp.h"

#include <fmt/format.h>

#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {

void Pomdp::set_facts(Facts facts, Capabilities capabilities, size_t state_size, size_t seen_size,
                      size_t action_size) {
  const std::string& name = facts.name;
  if (!(facts.discount >= 0 && facts.discount < 1))
    throw Error(fmt::format("{}: the discount {} is not in [0, 1)", name, facts.discount));
  if (!(facts.min_reward <= facts.max_reward) || !std::isfinite(facts.min_reward) ||
      !std::isfinite(facts.max_reward))
    throw Error(fmt::format("{}: rewards from {} to {} are not a finite range", name,
                            facts.min_reward, facts.max_reward));
  auto check_names = [&](const std::vector<std::string>& names, int count, const char* what) {
    if (!names.empty() && names.size() != count)
      throw Error(fmt::format("{}: {} names for {} {}", name, names.size(), count, what));
  };
  check_names(facts.action_names, facts.num_actions, "actions");
  check_names(facts.observation_names, facts.num_observations, "observations");
  if (facts.num_actions > 0) capabilities = capabilities | Capability::kFiniteActions;
  if (facts.num_observations > 0) capabilities = capabilities | Capability::kFiniteObservations;
  facts_ = std::move(facts);
  capabilities_ = capabilities;
  state_size_ = state_size;
  seen_size_ = seen_size;
  action_size_ = action_size;
}

void Pomdp::lacks(Capability capability) const {
  throw Error(facts_.name + " does not offer " + describe(capability));
}

FeatureLayout Pomdp::features() const {
  lacks(Capability::kFeatures);
}
void Pomdp::encode(ConstRecords, FeatureBatch&, int) const {
  lacks(Capability::kFeatures);
}
void Pomdp::likelihood(const std::byte*, const std::byte*, ConstRecords, std::span<double>) const {
  lacks(Capability::kLikelihood);
}
void Pomdp::cumulative(float, int, const std::byte*, ConstRecords, std::span<double>) const {
  lacks(Capability::kCumulative);
}
void Pomdp::mdp_value(ConstRecords, std::span<double>) const {
  lacks(Capability::kMdpValue);
}
Tabular Pomdp::table() const {
  lacks(Capability::kTable);
}
void Pomdp::state_index(ConstRecords, std::span<int>) const {
  lacks(Capability::kTable);
}
void Pomdp::perturb(ConstRecords, Streams, Records) const {
  lacks(Capability::kPerturb);
}
int Pomdp::num_coordinates() const {
  lacks(Capability::kCoordinates);
}
void Pomdp::coordinates(ConstRecords, std::span<float>) const {
  lacks(Capability::kCoordinates);
}
void Pomdp::from_coordinates(std::span<const float>, Records) const {
  lacks(Capability::kCoordinates);
}

Scene Pomdp::scene() const {
  lacks(Capability::kScene);
}
void Pomdp::scene_values(ConstRecords, std::span<float>) const {
  lacks(Capability::kScene);
}

std::string Pomdp::draw(const std::byte* state) const {
  return describe_state(state);
}

std::string Pomdp::describe_state(const std::byte* state) const {
  std::string text = "0x";
  for (size_t i = 0; i < state_size_; ++i) text += fmt::format("{:02x}", int(state[i]));
  return text;
}

namespace {
std::string describe_floats(const std::byte* record, size_t size) {
  std::string text;
  for (size_t i = 0; i < size / sizeof(float); ++i) {
    float value;
    std::memcpy(&value, record + i * sizeof(float), sizeof value);
    text += fmt::format("{}{:.4g}", i ? " " : "", value);
  }
  return text;
}
int as_index(const std::byte* record) {
  int value;
  std::memcpy(&value, record, sizeof value);
  return value;
}
}  // namespace

std::string Pomdp::describe_seen(const std::byte* seen) const {
  if (facts_.num_observations > 0) return facts_.observation_name(as_index(seen));
  return describe_floats(seen, seen_size_);
}

std::string Pomdp::describe_action(const std::byte* action) const {
  if (facts_.num_actions > 0) return facts_.action_name(as_index(action));
  return describe_floats(action, action_size_);
}

void require(const Pomdp& model, Capabilities needed, const std::string& who) {
  if (model.has(needed)) return;
  throw Error(fmt::format("{} needs {}; {} does not offer it", who,
                          describe(needed.without(model.capabilities())), model.facts().name));
}

StepBuffers::StepBuffers(const Pomdp& model, size_t capacity)
    : next(model.state_size(), capacity),
      seen(model.seen_size(), capacity),
      reward(capacity),
      ended(capacity) {}

StepResults StepBuffers::results(size_t n) {
  if (n > reward.size()) {
    next.resize(n);
    seen.resize(n);
    reward.resize(n);
    ended.resize(n);
  }
  return {next.sub(0, n), seen.sub(0, n), {reward.data(), n}, {ended.data(), n}};
}

}  // namespace penumbra

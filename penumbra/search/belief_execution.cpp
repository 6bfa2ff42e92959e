#include "penumbra/search/belief_execution.h"

#include <algorithm>

#include "penumbra/search/despot.h"
#include "penumbra/search/online_policy.h"

namespace penumbra::search {
namespace {

// What no state exceeds: without a tree nobody asks for more.
class LargestValue final : public MdpValue {
 public:
  explicit LargestValue(const Facts& facts)
      : value_(std::max(0.0, facts.max_reward) / (1 - facts.discount)) {}
  void value(ConstRecords, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), value_);
  }
  bool proven() const override { return true; }
  std::string source() const override { return "the largest reward for ever"; }

 private:
  double value_;
};

}  // namespace

std::unique_ptr<Policy> belief_execution(const Pomdp& model, const Fnc& controller, int particles) {
  const auto guide = std::make_shared<Guide>(model, controller, "the controller");
  auto planner = std::make_unique<Despot>(model, DespotOptions{}, guide,
                                          std::make_shared<LargestValue>(model.facts()));
  OnlineOptions options;
  options.particles = particles;
  options.budget = {};  // no descents: only the node is chosen
  return std::make_unique<OnlinePolicy>(
      model, std::move(planner), guide, options,
      "controller of " + std::to_string(controller.fsc.num_nodes()) + " nodes with " +
          std::to_string(particles) + " particles");
}

}  // namespace penumbra::search

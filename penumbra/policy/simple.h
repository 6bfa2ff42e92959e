// Policies that need no planning: yardsticks and starting points.
#pragma once

#include "penumbra/policy/policy.h"

namespace penumbra {

// Always the same action.
class BlindPolicy final : public Policy {
 public:
  BlindPolicy(const Pomdp& model, int action);
  std::string describe() const override { return "blind(action=" + name_ + ")"; }
  size_t memory_size() const override { return 0; }
  void start(Streams, Records) const override {}
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records, ConstRecords, ConstRecords, Streams) const override {}

 private:
  int action_;
  std::string name_;
};

// Uniform over the actions (over the box of a continuous one).
class RandomPolicy final : public Policy {
 public:
  explicit RandomPolicy(const Pomdp& model) : facts_(model.facts()) {}
  std::string describe() const override { return "random"; }
  size_t memory_size() const override { return 0; }
  void start(Streams, Records) const override {}
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records, ConstRecords, ConstRecords, Streams) const override {}

 private:
  Facts facts_;
};

}  // namespace penumbra

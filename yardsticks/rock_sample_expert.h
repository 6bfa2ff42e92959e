// A hand-made policy for rock-sample, to measure solvers by; no solver uses it. It routes by the
// optimum of the known problem as if every rock that is good with probability 0.45 or more were
// good, checks the next rock of the route when close, samples at 0.8, and leaves when nothing is
// worth the walk. It never checks from afar and never plans to learn.
#pragma once

#include "domains/rock_sample.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

class RockSampleExpert final : public Policy {
 public:
  explicit RockSampleExpert(const RockSample& model)
      : model_(model), check_distance_(model.n() >= 20 ? 0 : 2) {}

  std::string describe() const override { return "expert"; }
  size_t memory_size() const override { return sizeof(Memory); }
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;

 private:
  struct Memory {
    int16_t x, y;
    float good[32];  // probability per rock
  };
  int decide(const Memory& memory) const;

  const RockSample& model_;
  double check_distance_;
};

}  // namespace penumbra

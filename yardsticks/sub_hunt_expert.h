// A policy for sub-hunt, to measure solvers by; no solver uses it. It pings first, keeps the exact
// belief over the target's cell and goal, and then takes the action that is best if everything were
// known after it (QMDP), but a ping wherever that loses little: the "ping first" rule of SubHunt.jl
// with more pings.
#pragma once

#include "domains/sub_hunt.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

class SubHuntExpert final : public Policy {
 public:
  explicit SubHuntExpert(const SubHunt& model) : model_(model) {}

  std::string describe() const override { return "expert"; }
  size_t memory_size() const override { return sizeof(Memory); }
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;

 private:
  static constexpr int kTargets = 4 * SubHunt::kSize * SubHunt::kSize;
  struct Memory {
    uint8_t own_x, own_y;
    uint8_t aware, begun;
    float weight[kTargets];  // [goal][y][x]
  };
  static SubHunt::State state(const Memory& memory, int target);
  int decide(const Memory& memory) const;

  SubHunt model_;
};

}  // namespace penumbra

// A hand-made policy for rock-sample, to measure solvers by; no solver uses it. It routes by the
// optimum of the known problem as if every rock that is good with probability 0.45 or more were
// good, checks the next rock of the route when close, samples at 0.8, and leaves when nothing is
// worth the walk. It never checks from afar and never plans to learn. With more rocks than the
// domain has an exact value for, the bound takes its place and the next rock is one of the six
// nearest.
#pragma once

#include <memory>

#include "domains/rock_sample.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

// Bits: see RockSampleOf.
template <class Bits>
class RockSampleExpert final : public Policy {
 public:
  explicit RockSampleExpert(const RockSampleOf<Bits>& model)
      : model_(model), check_distance_(model.n() >= 20 ? 0 : 2) {}

  std::string describe() const override { return "expert"; }
  size_t memory_size() const override { return sizeof(Memory); }
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;

 private:
  struct Memory {
    typename RockSampleOf<Bits>::Coordinate x, y;
    float good[RockSampleOf<Bits>::kMostRocks];  // probability per rock
  };
  int decide(const Memory& memory) const;
  int moves_to(const Memory& memory, int rock) const;
  // How far the next rock may be: with many rocks only the nearest are looked at.
  int reach_of_nearest(const Memory& memory, Bits hopeful) const;

  const RockSampleOf<Bits>& model_;
  double check_distance_;
};

// nullptr when the model is no rock-sample. Keeps a reference to it.
std::unique_ptr<Policy> rock_sample_expert(const Pomdp& model);

}  // namespace penumbra

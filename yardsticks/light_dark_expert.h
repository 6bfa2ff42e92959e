// A hand-made policy for light-dark in any number of dimensions, to measure solvers by; no solver
// uses it. It keeps a belief and goes by four rules:
//   1. stop once the goal is likely enough;
//   2. walk to the light while some coordinate is known too badly;
//   3. there, with everything but the sides known, bring the sides home, the worst first;
//   4. otherwise walk home.
// The belief of the first coordinate is exact but for what the spread of the others tells about it:
// a grid over first positions. The others are normal distributions, with the mean variance of the
// noise. In one dimension these are rules 1, 2 and 4 on an exact belief.
#pragma once

#include <memory>

#include "domains/light_dark.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

class LightDarkExpert final : public Policy {
 public:
  static constexpr int kMostDimensions = 8;
  // `moved`: only the coordinate that was moved is heard.
  LightDarkExpert(const LightDarkRules& rules, int dimensions, double side_deviation, bool moved);

  std::string describe() const override { return "expert"; }
  size_t memory_size() const override { return sizeof(Memory); }
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;

 private:
  static constexpr int kCells = 480;
  struct Memory {
    float moved;           // of the first coordinate since the start
    float weight[kCells];  // of first positions, four deviations to either side
    float mean[kMostDimensions], variance[kMostDimensions];  // of the others
  };
  int decide(const Memory& memory) const;
  void hear_first(Memory& memory, float heard) const;

  LightDarkRules rules_;
  int dimensions_;
  double side_deviation_;
  bool moved_;
  std::array<float, kCells> first_;           // positions of the cells
  double sure_, unsure_first_, unsure_side_;  // rules 1 and 2
};

// nullptr where the model is not light-dark.
std::unique_ptr<Policy> light_dark_expert(const Pomdp& model);

}  // namespace penumbra

// A policy for laser-tag, to measure solvers by; no solver uses it. It keeps the exact belief over
// both cells and takes the action that is best if everything were known after it (QMDP). It never
// moves only to learn.
#pragma once

#include <vector>

#include "domains/laser_tag.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

class LaserTagExpert final : public Policy {
 public:
  explicit LaserTagExpert(const LaserTag& model);

  std::string describe() const override { return "expert"; }
  size_t memory_size() const override { return sizeof(Memory); }
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;

 private:
  static constexpr int kPairs = LaserTag::kCells * LaserTag::kCells;
  struct Memory {
    float weight[kPairs];  // [robot][opponent]
  };
  static LaserTag::State state(int pair) {
    return {static_cast<uint8_t>(pair / LaserTag::kCells),
            static_cast<uint8_t>(pair % LaserTag::kCells), 0};
  }

  LaserTag model_;
  std::vector<std::vector<LaserTag::Move>> moves_;  // of the opponent, by pair
  std::vector<float> value_;                        // [pair][action] when the state is known
};

}  // namespace penumbra

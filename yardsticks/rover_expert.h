// A hand-made policy for rover, to measure solvers by; no solver uses it. It reckons where it is
// from its moves and the walls that it feels, walks to the stone of each room while it may be good,
// checks it from close by until it is sure, picks it up, and goes on through the middle of the
// door.
#pragma once

#include "domains/rover.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

class RoverExpert final : public Policy {
 public:
  explicit RoverExpert(const Rover& model) : model_(model) {}

  std::string describe() const override { return "expert"; }
  size_t memory_size() const override { return sizeof(Memory); }
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;

 private:
  struct Memory {
    Rover::State at;  // as reckoned
    float good;       // probability, of the stone of this room
  };
  int decide(const Memory& memory) const;

  Rover model_;
};

}  // namespace penumbra

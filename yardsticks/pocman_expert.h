// A hand-made policy for pocman, to measure solvers by; no solver uses it. It goes by what it saw
// last: with power it chases a ghost that it sees, otherwise it goes anywhere but towards a ghost
// that it sees and not back, at random. These are the preferred actions of the POMCP program. It
// reckons its cell, and so knows when it eats a pill.
#pragma once

#include "domains/pocman.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

class PocManExpert final : public Policy {
 public:
  explicit PocManExpert(const PocMan& model) : model_(model) {}

  std::string describe() const override { return "expert"; }
  size_t memory_size() const override { return sizeof(Memory); }
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;

 private:
  struct Memory {
    uint8_t at, power;
    int8_t last;      // action, -1: none yet
    uint8_t eaten;    // how many of the pills below
    uint8_t pill[8];  // cells of pills that are gone
    int32_t seen;
  };
  int decide(const Memory& memory, Rng rng) const;

  PocMan model_;
};

}  // namespace penumbra

// What an agent does. A policy keeps its memory outside itself, one fixed-size record per lane: a
// controller's node, a belief, a recurrent state. `evaluate` only calls start, act, observe.
#pragma once

#include <memory>
#include <string>

#include "penumbra/base/rng.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/model/records.h"

namespace penumbra {

// Every function treats lane i by itself and is callable from several threads.
class Policy {
 public:
  virtual ~Policy() = default;
  virtual std::string describe() const = 0;
  virtual size_t memory_size() const = 0;  // bytes per lane, may be 0
  virtual void start(Streams streams, Records memory) const = 0;
  // Writes one action record per lane: an int when the model's actions are finite.
  virtual void act(Records memory, Streams streams, Records action) const = 0;
  virtual void observe(Records memory, ConstRecords action, ConstRecords seen,
                       Streams streams) const = 0;
  // Throws Error where it cannot be played on this model.
  virtual void check_model(const Pomdp& /*model*/) const {}
};

}  // namespace penumbra

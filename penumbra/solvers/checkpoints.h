// How a solve survives. All solvers work in rounds and keep their random numbers as functions of
// (seed, round), so that at the end of a round everything is in a few plain structures. There the
// solver asks whether it is time, and hands over what the next rounds depend on (base/archive.h).
// A solve that is resumed goes on as if it had never stopped: limited by work it ends in the same
// policy, byte for byte, with any number of threads.
//
// A checkpoint holds the state *before* anything that is only done because the solve ends, such as
// a last evaluation, because a run that was never stopped would not have done it there.
#pragma once

#include <functional>

#include "penumbra/base/archive.h"

namespace penumbra {

class Checkpoints {
 public:
  virtual ~Checkpoints() = default;
  // Asked at the end of every round; cheap.
  virtual bool due() = 0;
  // Never throws for a file that cannot be written: the solve goes on and the old one stays.
  virtual void save(const std::function<void(Saver&)>& write) = 0;
  // Calls `read` with what was saved; false where the solve starts from the beginning.
  virtual bool resume(const std::function<void(Loader&)>& read) = 0;
};

}  // namespace penumbra

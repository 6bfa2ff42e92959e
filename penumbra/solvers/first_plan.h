// A plan that is made before rounds of verified backups begin, and that they then improve: on cells
// of a grid (cells/plan.h), or with alpha functions that need no rollouts: at anchors
// (anchors/plan.h) or linear (nvi/head_plan.h).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "penumbra/base/archive.h"
#include "penumbra/base/error.h"
#include "penumbra/base/stop.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/policy/fnc.h"

namespace penumbra {

class FirstPlan {
 public:
  virtual ~FirstPlan() = default;

  // A round of backups. False when `stop` came first: nothing has changed.
  virtual bool run(const Stop& stop) = 0;
  virtual bool finished() const = 0;
  virtual uint64_t backups() const = 0;
  virtual double simulator_steps() const = 0;  // so far
  // What the plan says of b0: an estimate.
  virtual double claim() const = 0;
  // Controllers of the model that the plan offers, the most promising first, with the alpha
  // functions that it has for their nodes.
  virtual std::vector<Fnc> controllers() const = 0;
  // The simulated value of the best of them, whenever it was found.
  virtual void judged(double /*value*/) {}

  virtual void archive(Saver& saver) = 0;
  virtual void archive(Loader& loader) = 0;
};

// There is no such plan for the model; the text says why.
struct NoPlan : Error {
  using Error::Error;
};

// `memory`: bytes that it may take, about; 0: what is reasonable. Null: none
// is wanted after all. Throws NoPlan, and Stopped when stopped.
using MakeFirstPlan = std::function<std::unique_ptr<FirstPlan>(
    const MdpValue& values, double memory, RngKey key, ThreadPool& pool, const Stop& stop)>;

}  // namespace penumbra

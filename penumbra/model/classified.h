// The base of decorators that make a finite set of a model's continuous observations: by centres
// (cluster_observations.h), or by trees (tree_observations.h).
#pragma once

#include <memory>

#include "penumbra/model/decorated.h"

namespace penumbra {

class Classified : public Decorated {
 public:
  using Decorated::step;
  void step(ConstRecords state, ConstRecords action, Streams streams,
            const StepResults& out) const final;

  // The number of an observation after an action.
  virtual int classify(const std::byte* action, const float* seen) const = 0;
  int dimension() const { return static_cast<int>(inner().seen_size() / sizeof(float)); }

 protected:
  // Throws Error if observations are finite already.
  explicit Classified(std::unique_ptr<Pomdp> inner);
  // `names`: none, or one per observation. `likelihood`: whether there is one of the classes.
  void set_classes(int count, std::vector<std::string> names, bool likelihood);
};

// The model, if it is one of groups below which a filter can take observations as they are; else
// null.
const Classified* groups_of_likelihood(const Pomdp& model);

// Throws Error unless what is seen in `played` is what `who`, made for `sensed`, takes.
void check_same_seen(const Pomdp& sensed, const Pomdp& played, const std::string& who);

}  // namespace penumbra

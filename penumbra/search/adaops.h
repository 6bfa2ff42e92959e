// AdaOPS (Wu et al. 2021): a belief is a set of weighted particles, successors of one action share
// theirs and differ in the weights, and those whose weights differ little are one.
#pragma once

#include "penumbra/base/spec.h"
#include "penumbra/search/bound_search.h"

namespace penumbra::search {

struct AdaopsOptions {
  int particles = 100;           // in a belief of the tree
  double delta = 0.1;            // distance of two successors' weights that are taken for one
  double least_effective = 0.5;  // share of effective particles below which they are resampled
  BoundOptions bounds{};

  static AdaopsOptions read(Params& params);
};

class Adaops final : public Planner {
 public:
  // Throws Error where the model lacks finite actions, finite observations or a likelihood.
  Adaops(const Pomdp& model, const AdaopsOptions& options, std::shared_ptr<const Guide> guide,
         std::shared_ptr<const MdpValue> values);
  std::string describe() const override;
  std::unique_ptr<Search> start(ThreadPool* pool = nullptr) const override;

 private:
  const Pomdp& model_;
  AdaopsOptions options_;
  std::shared_ptr<const Guide> guide_;
  std::shared_ptr<const MdpValue> values_;
};

}  // namespace penumbra::search

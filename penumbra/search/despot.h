// DESPOT (Somani et al. 2013, Ye et al. 2017): a belief is a set of scenarios, each a state and a
// stream of random numbers, and every plan is tried on the same scenarios.
#pragma once

#include "penumbra/base/spec.h"
#include "penumbra/search/bound_search.h"

namespace penumbra::search {

struct DespotOptions {
  int scenarios = 500;  // K
  BoundOptions bounds{};

  static DespotOptions read(Params& params);
};

class Despot final : public Planner {
 public:
  // Throws Error where the model lacks finite actions or observations.
  Despot(const Pomdp& model, const DespotOptions& options, std::shared_ptr<const Guide> guide,
         std::shared_ptr<const MdpValue> values);
  std::string describe() const override;
  std::unique_ptr<Search> start(ThreadPool* pool = nullptr) const override;

 private:
  const Pomdp& model_;
  DespotOptions options_;
  std::shared_ptr<const Guide> guide_;
  std::shared_ptr<const MdpValue> values_;
};

// Beliefs as sets of scenarios. A scenario's random numbers are the same in all beliefs of one
// depth, or each belief's own.
enum class Noise { kShared, kOwn };
std::unique_ptr<Expander> scenarios(const Pomdp& model, int count, ThreadPool* pool,
                                    Noise noise = Noise::kShared);

// The parameters that all searches between bounds share.
void read_bound_options(Params& params, BoundOptions& options);

}  // namespace penumbra::search

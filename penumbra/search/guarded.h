// A planner whose leaves are a controller's, made safe: its action is taken only where that action,
// and then the controller, is clearly better than the controller alone. And the controller is kept
// in step: where the search had its own way, the node that fits the belief best is found anew.
#pragma once

#include "penumbra/bounds/mdp_value.h"
#include "penumbra/search/guide.h"
#include "penumbra/search/search.h"

namespace penumbra::search {

class Guarded final : public Planner {
 public:
  Guarded(std::unique_ptr<const Planner> planner, std::shared_ptr<const Guide> guide);
  std::string describe() const override;
  std::unique_ptr<Search> start(ThreadPool* pool) const override;

 private:
  std::unique_ptr<const Planner> planner_;
  std::shared_ptr<const Guide> guide_;
  std::shared_ptr<const MdpValue> values_;
};

}  // namespace penumbra::search

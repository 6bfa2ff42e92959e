// POMCP (Silver and Veness 2010): upper confidence search over histories. Every descent starts from
// a state of the belief, chooses actions by upper_confidence.h, follows what its state makes it
// see, and asks the leaf what the state is worth at the first history that is new. Q is the mean of
// what descents got (power=1), or puts more weight on actions that are taken more
// (upper_confidence.h).
//
// Descents run in waves: those of one wave choose in turn, step together in one call of the model
// and ask the leaf together. wave=1 is the order of the paper.
//
// Needs finite actions and observations. Continuous ones: pomcpow.h, pft.h.
#pragma once

#include "penumbra/search/leaf.h"
#include "penumbra/search/search.h"
#include "penumbra/search/uct.h"

namespace penumbra::search {

using PomcpOptions = UctOptions;
PomcpOptions read_pomcp_options(Params& params);

class Pomcp final : public Planner {
 public:
  Pomcp(const Pomdp& model, PomcpOptions options, std::shared_ptr<const Leaf> leaf);
  std::string describe() const override;
  std::unique_ptr<Search> start(ThreadPool* pool = nullptr) const override;

 private:
  const Pomdp& model_;
  PomcpOptions options_;
  std::shared_ptr<const Leaf> leaf_;
};

}  // namespace penumbra::search

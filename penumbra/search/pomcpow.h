// POMCPOW (Sunberg and Kochenderfer 2018): pomcp for continuous observations, and actions. An
// action leads to a limited number of observations (widening.h); a descent that may not add one
// goes to one that is there already. A belief in the tree is a weighted list of states: every
// descent that comes through adds its state, weighted by how likely it makes the observation, and
// goes on from a state of that list. Where an action may lead to all observations there are, it is
// pomcp.
//
// Needs a likelihood. Descents run in waves as pomcp's do.
#pragma once

#include "penumbra/search/leaf.h"
#include "penumbra/search/search.h"
#include "penumbra/search/uct.h"
#include "penumbra/search/widening.h"

namespace penumbra::search {

struct PomcpowOptions {
  UctOptions uct{};
  WideningOptions widening{};
};
PomcpowOptions read_pomcpow_options(Params& params);

class Pomcpow final : public Planner {
 public:
  Pomcpow(const Pomdp& model, PomcpowOptions options, std::shared_ptr<const Leaf> leaf);
  std::string describe() const override;
  std::unique_ptr<Search> start(ThreadPool* pool = nullptr) const override;

 private:
  const Pomdp& model_;
  PomcpowOptions options_;
  std::shared_ptr<const Leaf> leaf_;
};

}  // namespace penumbra::search

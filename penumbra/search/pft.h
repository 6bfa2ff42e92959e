// PFT-DPW (Sunberg and Kochenderfer 2018) and Sparse-PFT (Lim et al. 2023; alpha_o=0): upper
// confidence search over beliefs of weighted particles. A new belief comes from stepping all
// particles of the one above, seeing what one of them, drawn by weight, makes one see, and
// weighting the others by how likely they make it. Its reward is the mean over the particles.
//
// That an episode has ended is seen: where the drawn particle has ended, so has the belief, and is
// worth 0; elsewhere ended particles have no weight.
//
// Needs a likelihood. Descents run in waves: those of one wave make their new beliefs together.
#pragma once

#include "penumbra/search/leaf.h"
#include "penumbra/search/search.h"
#include "penumbra/search/uct.h"
#include "penumbra/search/widening.h"

namespace penumbra::search {

struct PftOptions {
  UctOptions uct{.wave = 8};
  WideningOptions widening{};
  int particles = 50;   // of a belief in the tree
  int leaf_states = 4;  // of a new belief that the leaf is asked about
};
PftOptions read_pft_options(Params& params);

class Pft final : public Planner {
 public:
  Pft(const Pomdp& model, PftOptions options, std::shared_ptr<const Leaf> leaf);
  std::string describe() const override;
  std::unique_ptr<Search> start(ThreadPool* pool = nullptr) const override;

 private:
  const Pomdp& model_;
  PftOptions options_;
  std::shared_ptr<const Leaf> leaf_;
};

}  // namespace penumbra::search

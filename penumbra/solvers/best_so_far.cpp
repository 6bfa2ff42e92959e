#include "penumbra/solvers/best_so_far.h"

namespace penumbra {

Fsc best_blind(const Pomdp& model, uint64_t episodes, ThreadPool& pool, Score* score) {
  BestSoFar<Fsc> best;
  for (int a = 0; a < model.facts().num_actions; ++a) {
    Fsc blind;
    blind.num_observations = model.facts().num_observations;
    blind.add_node(a);
    const Score s = judge(model, FscPolicy(blind, model.facts()), episodes, pool);
    if (best.beaten_by(s)) best.take(std::move(blind), s);
  }
  if (score) *score = best.score();
  return best.policy();
}

}  // namespace penumbra

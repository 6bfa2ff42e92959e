// The best policy of a solve by simulated value. All policies are judged on the same episodes (the
// same first states and random numbers): a difference of scores is one of policies, not of luck.
#pragma once

#include <utility>

#include "penumbra/base/stop.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/solvers/archive_parts.h"

namespace penumbra {

inline Score judge(const Pomdp& model, const Policy& policy, uint64_t episodes, ThreadPool& pool,
                   const Stop& stop = {}) {
  EvaluateOptions o;
  o.episodes = episodes;
  o.seed = 0x5eed;
  o.cancelled = stop;
  return evaluate(model, policy, o, pool);
}

// The best of the policies that repeat one action for ever: what there is when a solve is stopped
// before it could begin.
Fsc best_blind(const Pomdp& model, uint64_t episodes, ThreadPool& pool, Score* score = nullptr);

template <class Held>
class BestSoFar {
 public:
  bool empty() const { return score_.episodes() == 0; }
  const Held& policy() const { return held_; }
  const Score& score() const { return score_; }
  // Upper minus this is a gap; infinite while there is none.
  double gap(double upper) const { return empty() ? HUGE_VAL : upper - score_.low; }

  bool beaten_by(const Score& score) const {
    // A score of fewer episodes, cut short by the clock, never takes the place of one of more.
    return empty() || (score.episodes() >= score_.episodes() && score.mean > score_.mean);
  }
  void take(Held held, const Score& score) {
    held_ = std::move(held);
    score_ = score;
  }
  // The same policy, judged again on more episodes.
  void rejudge(const Score& score) { score_ = score; }

  template <class Archive>
  void archive(Archive& a) {
    a(held_, score_);
  }

 private:
  Held held_{};
  Score score_;
};

}  // namespace penumbra

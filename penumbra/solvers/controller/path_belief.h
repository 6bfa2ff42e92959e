// The belief along one history, as many weighted particles that are not resampled while enough of
// them carry weight: resampling a static unknown (a rock) loses it for good.
#pragma once

#include "penumbra/belief/particles.h"
#include "penumbra/model/pomdp.h"

namespace penumbra::controller {

struct PathBeliefOptions {
  int particles = 16'384;      // at the start
  int min_particles = 512;     // below this effective size particles are multiplied
  bool use_likelihood = true;  // false: only keep particles that produced the observation
};

struct WeightedStates {
  RecordBuffer states;
  std::vector<double> weights;  // sum to 1
};

class PathBelief {
 public:
  PathBelief(const Pomdp& model, const PathBeliefOptions& options, RngKey key);

  // b <- tau(b, a, o), given that the episode went on. False: no particle is left.
  bool advance(int action, int seen, RngKey key);
  // `count` equally weighted draws, in random order.
  RecordBuffer sample(size_t count, RngKey key) const;
  // At most `most`: every possible state with its weight, equally often, if so many fit; otherwise
  // draws.
  WeightedStates support(size_t most, RngKey key) const;
  // A particle drawn by weight that advance() follows until the observations rule it out.
  void follow(RngKey key);
  // The followed particle, or nullptr once it is ruled out.
  const std::byte* followed() const { return followed_ < 0 ? nullptr : states_.at(followed_); }

 private:
  bool advance_weighted(const StepResults& results, int action, int seen);
  bool advance_rejecting(const RecordBuffer& before, const std::vector<double>& weights,
                         const StepResults& first, int action, int seen, RngKey key);
  void multiply(RngKey key);

  const Pomdp& model_;
  PathBeliefOptions options_;
  RecordBuffer states_;
  std::vector<double> weights_;  // sum to 1
  long followed_ = -1;
};

}  // namespace penumbra::controller

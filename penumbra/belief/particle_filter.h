// tau(b, a, o) on particles. Weighted by the model's likelihood where there is one, by rejection
// (simulate, keep what produced the observation) where there is none. When no particle explains
// the observation the filter goes on from revived ones and says so: a count, not a crash.
#pragma once

#include "penumbra/belief/particles.h"
#include "penumbra/model/pomdp.h"

namespace penumbra {

struct FilterOptions {
  int num_particles = 1000;     // nb_particle
  double resample_below = 0.5;  // resample when the effective size falls below this share
  int max_tries = 50;           // rejection: simulations per particle before giving up
  bool use_likelihood = true;   // false: rejection even where the model offers a likelihood
};

struct FilterReport {
  double evidence = 0;        // P(o | b, a): a probability, or a density
  double effective_size = 0;  // before resampling
  bool resampled = false;
  size_t revived = 0;  // particles that had to be revived
};

class ParticleFilter {
 public:
  // Throws Error where neither a likelihood nor finite observations are offered.
  ParticleFilter(const Pomdp& model, FilterOptions options);

  // An episode that begins is in no terminal state.
  Particles initial(RngKey key) const;
  // `action` and `seen` are records of the model's types. The episode went on after `seen`, so
  // terminal states are ruled out.
  FilterReport update(Particles& belief, const std::byte* action, const std::byte* seen,
                      RngKey key) const;
  FilterReport update(Particles& belief, int action, int seen, RngKey key) const {
    return update(belief, reinterpret_cast<const std::byte*>(&action),
                  reinterpret_cast<const std::byte*>(&seen), key);
  }
  const FilterOptions& options() const { return options_; }

 private:
  FilterReport update_weighted(Particles& belief, const std::byte* action, const std::byte* seen,
                               RngKey key) const;
  FilterReport update_rejecting(Particles& belief, const std::byte* action, const std::byte* seen,
                                RngKey key) const;
  // Replaces the belief by live successors, moved a little where the model knows how.
  size_t revive(Particles& belief, const Particles& propagated, RngKey key) const;

  const Pomdp& model_;
  FilterOptions options_;
  bool weighted_;
};

// Puts others in the place of terminal states, if there are others.
void leave_out_terminal(const Pomdp& model, Records states);

}  // namespace penumbra

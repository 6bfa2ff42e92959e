// A hand-made rule on a belief of particles, for yardsticks of continuous problems: the filter
// moves every particle by the model's own step, weighs it by the likelihood and draws as many anew.
// What is done with the belief is up to the rule.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>

#include "penumbra/model/model.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

// `kPerturb`: particles are moved a little after every draw, where the model's own noise leaves too
// many of them equal.
template <Model M, int kParticles, bool kPerturb>
class ParticleRule : public Policy {
 public:
  explicit ParticleRule(M model) : model_(std::move(model)) {}

  std::string describe() const override { return "expert"; }
  size_t memory_size() const override { return sizeof(Memory); }

  void start(Streams streams, Records memory) const override {
    for (size_t i = 0; i < memory.count; ++i) {
      Rng rng = streams.rng(i);
      for (auto& s : memory.as<Memory>(i).belief) s = model_.sample_initial(rng);
    }
  }

  void act(Records memory, Streams, Records action) const override {
    for (size_t i = 0; i < memory.count; ++i)
      action.as<ActionOf<M>>(i) = decide(memory.as<Memory>(i).belief);
  }

  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override {
    for (size_t i = 0; i < memory.count; ++i) {
      Rng rng = streams.rng(i);
      update(memory.as<Memory>(i).belief, action.as<ActionOf<M>>(i),
             seen.as<typename M::Observation>(i), rng);
    }
  }

 protected:
  using Belief = std::span<const typename M::State>;
  virtual ActionOf<M> decide(Belief belief) const = 0;
  const M& model() const { return model_; }

 private:
  struct Memory {
    std::array<typename M::State, kParticles> belief;
  };

  void update(std::array<typename M::State, kParticles>& belief, ActionOf<M> action,
              const typename M::Observation& seen, Rng& rng) const {
    std::array<typename M::State, kParticles> next;
    std::array<double, kParticles> weight;
    double total = 0;
    for (int k = 0; k < kParticles; ++k) {
      next[k] = model_.step(belief[k], action, rng).next;
      // The episode goes on.
      weight[k] = model_.is_terminal(next[k]) ? 0 : model_.likelihood(seen, action, next[k]);
      total += weight[k];
    }
    if (!(total > 0)) {  // nothing explains it: go on as if nothing had been seen
      for (int k = 0; k < kParticles; ++k)
        if (!model_.is_terminal(next[k])) belief[k] = next[k];
      return;
    }
    double sum = 0;
    int from = -1;
    for (int k = 0; k < kParticles; ++k) {
      const double at = (k + rng.uniform()) / kParticles * total;
      while (from + 1 < kParticles && (from < 0 || sum < at)) sum += weight[++from];
      belief[k] = weight[from] > 0 ? next[from] : belief[k > 0 ? k - 1 : k];
    }
    if constexpr (kPerturb)
      for (auto& s : belief) s = model_.perturb(s, rng);
  }

  M model_;
};

}  // namespace penumbra

// A belief's own states and what every action does to them: the model as it looks from there. Look
// ahead and the fit of a new alpha function both use these states, so that they agree at the belief
// to the last digit; on samples of another distribution (all bits as likely as at the start) a
// product of two hidden bits, which a sensor's likelihood brings in, is projected away, and plans
// claim more and more.
#pragma once

#include <span>
#include <vector>

#include "penumbra/solvers/nvi/sample_model.h"

namespace penumbra::nvi {

class LocalModel {
 public:
  // `weights` of the states sum to 1. Without a likelihood the observations that were simulated
  // stand for their distribution.
  LocalModel(const Pomdp& model, const SampleModel& samples, ConstRecords states,
             std::span<const double> weights, RngKey key);

  size_t count() const { return category_.size(); }
  int category(size_t m) const { return category_[m]; }
  float weight(size_t m) const { return weight_[m]; }
  const float* u(size_t m) const { return u_.data() + m * width_; }

  float reward(int action, size_t m) const { return after_[action].reward[m]; }
  // Of the next state; negative: SampleModel::kEnded or kUnknown.
  int next_category(int action, size_t m) const { return after_[action].category[m]; }
  const float* next_u(int action, size_t m) const {
    return (after_[action].same ? u_ : after_[action].u).data() + m * width_;
  }
  // O(o | s', a) of all states.
  const float* chances(int action, int o) const {
    return after_[action].chance.data() + size_t(o) * count();
  }
  // The weight of next states whose category is not known.
  float unknown(int action) const;
  // P(o, s' | b, a), as moments.
  BeliefMoments after(int action, int o) const;

 private:
  struct After {
    bool same = false;  // the action leaves all states as they are
    std::vector<int> category;
    std::vector<float> u, reward, chance;  // chance[o][m]
  };

  void describe(const Pomdp& model, const SampleModel& samples, ConstRecords states,
                std::vector<int>& category, std::vector<float>& u) const;

  int width_;
  std::vector<int> category_;
  std::vector<float> u_, weight_;
  std::vector<After> after_;
};

}  // namespace penumbra::nvi

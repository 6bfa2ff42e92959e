// A model seen through samples: for every category of states that can be reached a few dozen
// states, what each action does to them, and how a function that is linear in the other features is
// fitted to values on them. Alpha functions that are linear within every category (gated_heads.h)
// are backed up on it without a single rollout. nn/gate.h says what a category and u(s) are.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "penumbra/base/stop.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/nn/gate.h"
#include "penumbra/solvers/first_plan.h"

namespace penumbra::nvi {

struct SampleModelOptions {
  int samples = 64;            // states per category, at least three per feature
  int most_categories = 4096;  // more: the model is refused
  bool use_likelihood = true;  // false: observations are drawn
  double ridge = 0.3;          // penalty on slopes, beside a variance of 1/4 per sample
};

// A belief as what linear functions see of it: per category the sum over its states of weight * u.
struct BeliefMoments {
  struct Part {
    int category;
    std::vector<float> u;  // the first is the weight of the category
  };
  std::vector<Part> parts;
};

class SampleModel {
 public:
  // One sample after one action.
  struct Next {
    int category;  // negative: the episode ended, or kUnknown
    float reward;
    uint32_t u;  // for next_u()
  };

  // Throws NoPlan where there are too many categories, and Stopped when stopped.
  SampleModel(const Pomdp& model, const SampleModelOptions& options, RngKey key, ThreadPool& pool,
              const Stop& stop);

  int num_categories() const { return static_cast<int>(states_.size()); }
  int num_actions() const { return actions_; }
  int num_observations() const { return observations_; }
  int width() const { return width_; }
  const nn::Gate& gate() const { return gate_; }
  int64_t code(int category) const { return codes_[category]; }  // by the gate
  int samples(int category) const { return static_cast<int>(states_[category].count()); }
  float discount() const { return discount_; }
  bool uses_likelihood() const { return likelihood_; }

  // A category that no sample is of.
  static constexpr int kEnded = -1, kUnknown = -2;
  // The category of a state, or kUnknown, and its u.
  int describe(const FeatureBatch& batch, int row, std::span<float> u) const;
  // Of weighted states; those of unknown categories are left out.
  BeliefMoments moments(ConstRecords states, std::span<const double> weights) const;

  // Sample m of a category after an action.
  Next next(int action, int category, int m) const {
    const int sample = first_[category] + m;
    if (!only_looks_[action]) return next_[action][sample];
    return {category, look_reward_[action][category], static_cast<uint32_t>(sample)};
  }
  std::span<const float> next_u(const Next& n) const {
    return {u_.data() + size_t(n.u) * width_, static_cast<size_t>(width_)};
  }
  // The chances of the observations after an action, row-major [sample of the category][o].
  std::vector<float> chances(int action, int category) const;
  // Whether the action only looks: it left every sample as it was, for a reward that depends on the
  // category alone.
  bool only_looks(int action) const { return only_looks_[action]; }
  // The linear fit of a category: weights = fit * values, row-major [width][samples].
  std::span<const float> fit(int category) const { return fit_[category]; }
  // The samples' own u, row-major [sample][width].
  std::span<const float> own_u(int category) const {
    return {u_.data() + size_t(first_[category]) * width_,
            size_t(samples(category)) * static_cast<size_t>(width_)};
  }

 private:
  void explore(RngKey key, const Stop& stop);
  void describe_samples();
  void step_samples(int action, RngKey key, const Stop& stop);
  void make_fits(ThreadPool& pool, double ridge);

  const Pomdp& model_;
  SampleModelOptions options_;
  nn::Gate gate_;
  int actions_, observations_, width_;
  float discount_;
  bool likelihood_;
  std::unordered_map<int64_t, int> category_of_;  // by code
  std::vector<int64_t> codes_;                    // per category
  std::vector<RecordBuffer> states_;              // per category
  std::vector<int> first_;                        // per category: of its samples, over all
  std::vector<float> u_;                          // rows: the samples' own, then others
  std::vector<char> only_looks_;                  // per action
  // Actions that only look are most where much can be sensed: they have a reward per category and
  // nothing per sample.
  std::vector<std::vector<float>> look_reward_;  // [action][category]
  std::vector<std::vector<Next>> next_;          // [action][sample]
  std::vector<std::vector<float>> chance_;       // [action][sample][observation]
  std::vector<std::vector<float>> fit_;          // [category]
};

}  // namespace penumbra::nvi

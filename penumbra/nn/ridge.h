// Linear heads in closed form: minimise sum of weight * (w . phi - target)^2 + ridge * |w|^2.
// The normal equations of shared states are summed and factorised once, in double (in float the
// factorisation fails outright); each further head costs two triangular solves. Rows of its own
// are added to a copy of the shared Gram matrix, which is then factorised anew.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/nn/feature_map.h"
#include "penumbra/nn/fit_report.h"

namespace penumbra::nn {

struct RidgeOptions {
  double ridge = 1e-4;   // relative to the mean diagonal of the Gram matrix; the constant is free
  double holdout = 0.1;  // share of the rows kept for validation, in (0, 0.5]
  uint64_t seed = 0;     // of that choice
};

struct HeadFit {
  std::vector<float> head;  // empty unless report.good()
  FitReport report;
};

// Rows with targets of one head.
struct HeadSamples {
  const FeatureMatrix* features = nullptr;
  std::span<const float> targets = {};
  std::span<const float> weights = {};  // empty: all 1
};

class Ridge {
 public:
  // Shared states, possibly none. Their weights are the same for every head.
  Ridge(FeatureMatrix features, std::span<const float> weights, const RidgeOptions& options,
        ThreadPool* pool = nullptr);
  ~Ridge();
  Ridge(Ridge&&) noexcept;
  Ridge& operator=(Ridge&&) noexcept;

  int rows() const;
  int width() const;
  // One target for each shared state: reuses the factor.
  HeadFit fit(std::span<const float> targets) const;
  // Shared states, all scaled by `scale`, together with rows of the head's own. Without targets
  // the shared states are left out.
  HeadFit fit(std::span<const float> targets, double scale, const HeadSamples& own,
              ThreadPool* pool = nullptr) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// A head on rows of its own.
HeadFit fit_head(const HeadSamples& samples, const RidgeOptions& options,
                 ThreadPool* pool = nullptr);

}  // namespace penumbra::nn

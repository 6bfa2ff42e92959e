// The errors of fits between two reports, for the log: nothing is decided by them.
#pragma once

#include "penumbra/evaluate/score.h"
#include "penumbra/nn/fit_report.h"

namespace penumbra::nvi {

class FitErrors {
 public:
  void add(const nn::FitReport& fit) {
    const double error = std::isfinite(fit.validation_mse) ? fit.validation_mse : fit.training_mse;
    if (fit.good() && std::isfinite(error)) errors_.add(error);
  }
  // Their mean, and begins anew; negative: there were none.
  double take() {
    const Estimate all = errors_.estimate();
    errors_ = {};
    return all.count > 0 ? all.mean : -1;
  }

 private:
  Moments errors_;
};

}  // namespace penumbra::nvi

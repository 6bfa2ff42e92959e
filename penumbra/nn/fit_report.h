// How a fit went. Errors are mean squares in the units of the targets.
#pragma once

#include <cmath>
#include <limits>

namespace penumbra::nn {

enum class FitStatus {
  kReachedTarget,  // the wanted error
  kEarlyStop,      // the validation error stopped falling
  kMaxEpochs,
  kStopped,     // by the caller: as far as it came
  kClosedForm,  // solved, not trained
  kDiverged,    // the error grew or left the finite numbers
  kNotFinite,   // a target, weight or feature is NaN or infinite
  kSingular,    // the normal equations could not be solved
};

struct FitReport {
  FitStatus status = FitStatus::kNotFinite;
  int epochs = 0;
  long steps = 0;
  int training_rows = 0, validation_rows = 0;
  double training_mse = std::numeric_limits<double>::quiet_NaN();
  double validation_mse = std::numeric_limits<double>::quiet_NaN();  // NaN only for one row
  double target_variance = 0;                                        // what a constant would leave

  bool good() const {
    return status != FitStatus::kDiverged && status != FitStatus::kNotFinite &&
           status != FitStatus::kSingular;
  }

  template <class Archive>
  void archive(Archive& a) {
    a(status, epochs, steps, training_rows, validation_rows, training_mse, validation_mse,
      target_variance);
  }
};

inline const char* name(FitStatus status) {
  switch (status) {
    case FitStatus::kReachedTarget:
      return "reached target";
    case FitStatus::kEarlyStop:
      return "early stop";
    case FitStatus::kMaxEpochs:
      return "max epochs";
    case FitStatus::kStopped:
      return "stopped";
    case FitStatus::kClosedForm:
      return "closed form";
    case FitStatus::kDiverged:
      return "diverged";
    case FitStatus::kNotFinite:
      return "not finite";
    case FitStatus::kSingular:
      return "singular";
  }
  return "unknown";
}

}  // namespace penumbra::nn

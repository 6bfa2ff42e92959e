// tau(b, a, o) without sampling, for models with a table.
#pragma once

#include <vector>

#include "penumbra/model/tabular.h"

namespace penumbra {

class ExactFilter {
 public:
  // The table must outlive the filter.
  explicit ExactFilter(const Tabular& model) : model_(model) {}
  explicit ExactFilter(Tabular&&) = delete;

  const std::vector<double>& initial() const { return model_.start; }
  // Replaces the belief and returns P(o | b, a); at 0 the belief stays as it was.
  double update(std::vector<double>& belief, int action, int seen) const;

 private:
  const Tabular& model_;
};

}  // namespace penumbra

// Tests of hypotheses: how likely a difference at least this large is where there is none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace penumbra {

// P(|T| >= |t|) for Student's t; with infinitely many degrees of freedom that of the normal
// distribution.
double two_sided_p(double t, double degrees_of_freedom);

// Holm's step-down correction: testing at level a with these keeps the chance of even one false
// rejection among all of them below a. In the order given; NaN means not tested and stays.
std::vector<double> holm_corrected(std::span<const double> p);

// The paired t-test: whether the mean of `differences` is 0. NaN for fewer than two, or where none
// differs from another and all are 0.
struct PairedTest {
  double mean = 0, standard_error = 0, p = 0;
  uint64_t count = 0;
};
PairedTest paired_test(std::span<const double> differences);

}  // namespace penumbra

#include "penumbra/base/moments.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace penumbra {

void Moments::add(const Moments& other) {
  if (other.count_ == 0) return;
  const double n = static_cast<double>(count_), m = static_cast<double>(other.count_);
  const double delta = other.mean_ - mean_;
  mean_ += delta * m / (n + m);
  squares_ += other.squares_ + delta * delta * n * m / (n + m);
  count_ += other.count_;
}

Estimate Moments::estimate() const {
  Estimate e;
  e.count = count_;
  e.mean = mean_;
  if (count_ >= 2) {
    const double n = static_cast<double>(count_);
    e.standard_error = std::sqrt(squares_ / (n - 1) / n);
    const double half = student_t_975(count_ - 1) * e.standard_error;
    e.low = mean_ - half;
    e.high = mean_ + half;
  } else {
    e.standard_error = e.high = HUGE_VAL;  // one episode says nothing about the spread
    e.low = -HUGE_VAL;
  }
  return e;
}

double student_t_975(uint64_t degrees_of_freedom) {
  static constexpr double kSmall[] = {0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                      2.306, 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131};
  if (degrees_of_freedom < std::size(kSmall))
    return kSmall[std::max<uint64_t>(degrees_of_freedom, 1)];
  const double z = 1.959963984540054, n = static_cast<double>(degrees_of_freedom), z2 = z * z;
  return z * (1 + (z2 + 1) / (4 * n) + (5 * z2 * z2 + 16 * z2 + 3) / (96 * n * n));
}

}  // namespace penumbra

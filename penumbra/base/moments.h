// A mean with its uncertainty, from numbers one by one.
#pragma once

#include <cstdint>

namespace penumbra {

// A mean with its standard error and 95 % interval (Student's t).
struct Estimate {
  double mean = 0, standard_error = 0, low = 0, high = 0;
  uint64_t count = 0;
};

// Sums for a mean and its error; add() in a fixed order gives fixed bits.
class Moments {
 public:
  void add(double x) {
    ++count_;
    const double delta = x - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (x - mean_);
  }
  void add(const Moments& other);
  Estimate estimate() const;

  template <class Archive>
  void archive(Archive& a) {
    a(count_, mean_, squares_);
  }

 private:
  uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

// The 97.5 % quantile of Student's t.
double student_t_975(uint64_t degrees_of_freedom);

}  // namespace penumbra

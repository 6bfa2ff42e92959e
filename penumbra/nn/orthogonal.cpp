#include "penumbra/nn/orthogonal.h"

#include <Eigen/QR>
#include <algorithm>

namespace penumbra::nn {

std::vector<float> orthogonal(int rows, int columns, double gain, RngKey key) {
  const int large = std::max(rows, columns), small = std::min(rows, columns);
  Eigen::MatrixXd normal(large, small);
  Rng rng(key, 0);
  for (int c = 0; c < small; ++c)
    for (int r = 0; r < large; ++r) normal(r, c) = rng.normal();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(normal);
  const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(large, small);
  std::vector<float> out(size_t(rows) * columns);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const int i = rows >= columns ? c : r;                 // the orthogonal one
      const double sign = qr.matrixQR()(i, i) < 0 ? -1 : 1;  // makes the draw uniform
      out[size_t(r) * columns + c] =
          static_cast<float>(gain * sign * (rows >= columns ? q(r, c) : q(c, r)));
    }
  return out;
}

}  // namespace penumbra::nn

#include "penumbra/nn/ridge.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "penumbra/base/error.h"
#include "penumbra/nn/gram.h"
#include "penumbra/nn/kernels.h"
#include "penumbra/nn/samples.h"

namespace penumbra::nn {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Factor = Eigen::LLT<Matrix, Eigen::Lower>;

// The constant is not shrunk; this only keeps the factorisation away from rounding errors.
constexpr double kConstantRidge = 1e-12;

void check_samples(int rows, std::span<const float> targets, std::span<const float> weights) {
  if (targets.size() != size_t(rows) || (!weights.empty() && weights.size() != size_t(rows))) {
    throw Error("head fit: targets and weights need one entry for each of the " +
                std::to_string(rows) + " rows");
  }
}

// Weights of the rows to train on; held-out rows get zero here and their weight in `validation`.
struct RowWeights {
  std::vector<double> training, validation;
  int num_validation = 0;
  bool valid = true;

  RowWeights(int rows, std::span<const float> weights, const RidgeOptions& options, uint64_t stream)
      : training(rows), validation(rows) {
    const Split split(options.seed + stream, rows, options.holdout);
    for (int r : split.training) training[r] = weights.empty() ? 1.0 : weights[r];
    for (int r : split.validation) validation[r] = weights.empty() ? 1.0 : weights[r];
    num_validation = int(split.validation.size());
    for (float w : weights) valid = valid && std::isfinite(w) && w >= 0;
  }
};

std::optional<Factor> factorise(const GramMatrix& gram, double ridge) {
  const int n = gram.width;
  double trace = 0;
  for (int i = 0; i + 1 < n; ++i) trace += gram.at(i, i);
  const double unit = n > 1 && trace > 0 ? trace / (n - 1) : 1;
  Matrix system = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(
      gram.values.data(), n, n, Eigen::OuterStride<>(gram.stride));
  for (int i = 0; i < n; ++i) system(i, i) += unit * (i + 1 < n ? ridge : kConstantRidge);
  Factor factor(system);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return factor;
}

void add_right_side(const FeatureMatrix& x, std::span<const double> weights,
                    std::span<const float> targets, double scale, Eigen::VectorXd& side) {
  for (int r = 0; r < x.rows; ++r) {
    const double weight = scale * weights[r] * targets[r];
    if (weight != 0) kernels().add_double(x.width, weight, x.row(r), side.data());
  }
}

// Weighted sums that become the errors of a report.
struct Errors {
  double weight = 0, squared = 0;
  double total = 0, targets = 0, squares = 0;  // all rows: for the targets' variance
  double held_weight = 0, held_squared = 0;

  void add(const FeatureMatrix& x, const RowWeights& w, std::span<const float> targets_of,
           double scale, const AlignedVector<float>& head) {
    std::vector<float> values(x.rows);
    kernels().dot_rows(x.rows, x.stride, x.values.data(), x.stride, head.data(), 0, values.data());
    for (int r = 0; r < x.rows; ++r) {
      const double e = double(values[r]) - targets_of[r], t = targets_of[r];
      const double training = scale * w.training[r], held = scale * w.validation[r];
      weight += training;
      squared += training * e * e;
      held_weight += held;
      held_squared += held * e * e;
      total += training + held;
      targets += (training + held) * t;
      squares += (training + held) * t * t;
    }
  }

  void write(FitReport& report) const {
    if (weight > 0) report.training_mse = squared / weight;
    if (held_weight > 0) report.validation_mse = held_squared / held_weight;
    if (total > 0) {
      report.target_variance = std::max(0.0, squares / total - targets / total * targets / total);
    }
  }
};

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

}  // namespace

struct Ridge::Parts {
  RidgeOptions options;
  FeatureMatrix features;
  RowWeights weights;
  GramMatrix gram;
  std::optional<Factor> factor;

  HeadFit solve(const Factor& with, const Eigen::VectorXd& side, std::span<const float> targets,
                double scale, const HeadSamples* own, const RowWeights* own_weights) const {
    HeadFit result;
    const Eigen::VectorXd solution = with.solve(side);
    AlignedVector<float> head(padded(features.width), 0.0f);
    for (int i = 0; i < features.width; ++i) head[i] = float(solution[i]);
    Errors errors;
    FitReport& report = result.report;
    report.status = FitStatus::kClosedForm;
    if (!targets.empty()) {
      errors.add(features, weights, targets, scale, head);
      report.validation_rows += weights.num_validation;
      report.training_rows += features.rows - weights.num_validation;
    }
    if (own) {
      errors.add(*own->features, *own_weights, own->targets, 1.0, head);
      report.validation_rows += own_weights->num_validation;
      report.training_rows += own->features->rows - own_weights->num_validation;
    }
    errors.write(report);
    if (!all_finite(head) || !std::isfinite(report.training_mse)) {
      report.status = FitStatus::kSingular;
      return result;
    }
    result.head.assign(head.begin(), head.begin() + features.width);
    return result;
  }
};

Ridge::Ridge(FeatureMatrix features, std::span<const float> weights, const RidgeOptions& options,
             ThreadPool* pool) {
  if (!(options.ridge > 0) || !(options.holdout > 0 && options.holdout <= 0.5)) {
    throw Error("head fit: ridge must be positive and holdout in (0, 0.5]");
  }
  if (!weights.empty() && weights.size() != size_t(features.rows)) {
    throw Error("head fit: one weight for each of the " + std::to_string(features.rows) + " rows");
  }
  RowWeights split(features.rows, weights, options, 0);
  const int width = features.width;
  parts_.reset(
      new Parts{options, std::move(features), std::move(split), GramMatrix(width), std::nullopt});
  if (!parts_->weights.valid) throw Error("head fit: weights must be finite and not negative");
  add_rows(parts_->gram, parts_->features, parts_->weights.training, pool);
  if (parts_->features.rows > 0) parts_->factor = factorise(parts_->gram, options.ridge);
}

Ridge::~Ridge() = default;
Ridge::Ridge(Ridge&&) noexcept = default;
Ridge& Ridge::operator=(Ridge&&) noexcept = default;

int Ridge::rows() const {
  return parts_->features.rows;
}
int Ridge::width() const {
  return parts_->features.width;
}

HeadFit Ridge::fit(std::span<const float> targets) const {
  check_samples(rows(), targets, {});
  HeadFit failed;
  if (!all_finite(targets)) return failed;
  failed.report.status = FitStatus::kSingular;
  if (!parts_->factor) return failed;
  Eigen::VectorXd side = Eigen::VectorXd::Zero(width());
  add_right_side(parts_->features, parts_->weights.training, targets, 1.0, side);
  return parts_->solve(*parts_->factor, side, targets, 1.0, nullptr, nullptr);
}

HeadFit Ridge::fit(std::span<const float> targets, double scale, const HeadSamples& own,
                   ThreadPool* pool) const {
  if (!targets.empty()) check_samples(rows(), targets, {});
  PENUMBRA_CHECK(own.features && own.features->width == width(), "rows of the same features");
  check_samples(own.features->rows, own.targets, own.weights);
  HeadFit failed;
  const RowWeights weights(own.features->rows, own.weights, parts_->options, 1);
  if (!all_finite(targets) || !all_finite(own.targets) || !weights.valid) return failed;
  GramMatrix gram(width());
  Eigen::VectorXd side = Eigen::VectorXd::Zero(width());
  if (!targets.empty()) {
    gram.add(parts_->gram, scale);
    add_right_side(parts_->features, parts_->weights.training, targets, scale, side);
  }
  add_rows(gram, *own.features, weights.training, pool);
  add_right_side(*own.features, weights.training, own.targets, 1.0, side);
  const auto factor = factorise(gram, parts_->options.ridge);
  failed.report.status = FitStatus::kSingular;
  if (!factor) return failed;
  return parts_->solve(*factor, side, targets, scale, &own, &weights);
}

HeadFit fit_head(const HeadSamples& samples, const RidgeOptions& options, ThreadPool* pool) {
  PENUMBRA_CHECK(samples.features, "features to fit a head on");
  FeatureMatrix none;
  none.width = samples.features->width;
  return Ridge(std::move(none), {}, options).fit({}, 1.0, samples, pool);
}

}  // namespace penumbra::nn

#include "penumbra/nn/fit.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "penumbra/base/error.h"

namespace penumbra::nn {
namespace {

void check_sizes(const MlpShape& shape, const Samples& s, const FitOptions& o) {
  if (s.rows() == 0) throw Error("fit: no samples; give at least one row");
  const size_t rows = s.rows();
  const size_t wanted = s.heads.empty() ? rows * shape.outputs : rows;
  if (s.targets.size() != wanted) {
    throw Error("fit: " + std::to_string(s.targets.size()) + " targets where " +
                std::to_string(wanted) + " are needed");
  }
  if ((!s.weights.empty() && s.weights.size() != rows) ||
      (!s.heads.empty() && s.heads.size() != rows)) {
    throw Error("fit: weights and heads need one entry for each of the " + std::to_string(rows) +
                " rows");
  }
  if (std::any_of(s.weights.begin(), s.weights.end(), [](float w) { return w < 0; })) {
    throw Error("fit: a sample has a negative weight; leave it out or give it zero");
  }
  for (int32_t h : s.heads) {
    if (h < 0 || h >= shape.outputs) {
      throw Error("fit: head " + std::to_string(h) + " of " + std::to_string(shape.outputs));
    }
  }
  if (o.batch < 1 || o.max_epochs < 1 || o.patience < 1 || o.rate_drops < 0 || !(o.adam.rate > 0) ||
      !(o.holdout > 0 && o.holdout <= 0.5) || !(o.loss.delta > 0)) {
    throw Error(
        "fit: batch, max_epochs, patience, rate and Huber's delta must be positive, "
        "holdout in (0, 0.5]");
  }
}

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

// Mean and deviation of the targets of each output, by weight.
struct Moments {
  std::vector<double> mean, deviation;
  double variance = 0;  // over all targets, about their output's mean

  Moments(const Samples& s, int outputs) : mean(outputs), deviation(outputs) {
    std::vector<double> total(outputs), square(outputs);
    for_each(s, outputs, [&](int o, double w, double t) { total[o] += w, mean[o] += w * t; });
    for (int o = 0; o < outputs; ++o) mean[o] = total[o] > 0 ? mean[o] / total[o] : 0;
    for_each(s, outputs,
             [&](int o, double w, double t) { square[o] += w * (t - mean[o]) * (t - mean[o]); });
    double all = 0;
    for (int o = 0; o < outputs; ++o) {
      deviation[o] = total[o] > 0 ? std::sqrt(square[o] / total[o]) : 0;
      if (!(deviation[o] > 1e-6 * (1 + std::abs(mean[o])))) deviation[o] = 1;
      variance += square[o];
      all += total[o];
    }
    variance = all > 0 ? variance / all : 0;
  }

  template <class Visit>
  static void for_each(const Samples& s, int outputs, const Visit& visit) {
    const int each = s.heads.empty() ? outputs : 1;
    for (size_t i = 0; i < s.targets.size(); ++i) {
      const size_t row = i / each;
      const int o = s.heads.empty() ? int(i % each) : s.heads[row];
      visit(o, s.weights.empty() ? 1.0 : s.weights[row], s.targets[i]);
    }
  }
};

// What fit() does: epochs over the training rows, validation, and the best weights so far.
class Training {
 public:
  Training(Mlp& network, Trainer& trainer, Split& split, const FitOptions& options, RngKey key)
      : network_(network), trainer_(trainer), split_(split), o_(options), key_(key) {
    adam_ = o_.adam;
    const size_t steps = ThreadPool::num_chunks(split.training.size(), o_.batch);
    patience_ = int(std::max<size_t>(1, (o_.patience + steps - 1) / steps));
    keep_best();
    best_error_ = first_error_ = validation();
  }

  FitStatus train(FitReport& report) {
    for (int epoch = 0; epoch < o_.max_epochs; ++epoch) {
      if (o_.anneal) adam_.rate = o_.adam.rate * (1 - double(epoch) / o_.max_epochs);
      const double training = run_epoch(epoch, report.steps);
      if (stopped_) return FitStatus::kStopped;
      report.epochs = epoch + 1;
      if (!std::isfinite(training)) return FitStatus::kDiverged;
      if (!o_.early_stopping) {
        if (training < o_.target_mse) return FitStatus::kReachedTarget;
        continue;
      }
      const double error = validation();
      if (!std::isfinite(error)) return FitStatus::kDiverged;
      if (improved(error, epoch) && error < o_.target_mse) return FitStatus::kReachedTarget;
      if (o_.anneal || epoch - last_gain_ < patience_) continue;
      if (drops_++ == o_.rate_drops) return FitStatus::kEarlyStop;
      adam_.rate *= o_.rate_drop;
      last_gain_ = epoch;
    }
    return FitStatus::kMaxEpochs;
  }

  void restore_best() {
    if (!o_.early_stopping) return;
    std::copy(best_.begin(), best_.end(), network_.packed().begin());
    trainer_.refresh();
  }
  double first_error() const { return first_error_; }

 private:
  double run_epoch(int epoch, long& steps) {
    Rng rng(key_.fold("shuffle"), epoch);
    std::vector<int32_t>& rows = split_.training;
    for (size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[rng.below(uint32_t(i))]);
    ErrorSum sum;
    for (size_t at = 0; at < rows.size(); at += o_.batch, ++steps) {
      if ((stopped_ = asked_to_stop(o_.stop))) break;
      const size_t count = std::min<size_t>(o_.batch, rows.size() - at);
      sum.add(trainer_.step(std::span(rows).subspan(at, count), adam_));
    }
    return sum.mean();
  }

  // A single row has nothing to be validated on but itself.
  double validation() {
    return trainer_.evaluate(split_.validation.empty() ? split_.training : split_.validation)
        .mean();
  }

  bool improved(double error, int epoch) {
    if (!(error < best_error_)) return false;
    if (error < gain_error_ * 0.999) {
      gain_error_ = error;
      last_gain_ = epoch;
    }
    best_error_ = error;
    keep_best();
    return true;
  }
  void keep_best() {
    if (o_.early_stopping) best_.assign(network_.packed().begin(), network_.packed().end());
  }

  Mlp& network_;
  Trainer& trainer_;
  Split& split_;
  const FitOptions& o_;
  RngKey key_;
  AdamOptions adam_;
  int patience_, last_gain_ = 0, drops_ = 0;
  double best_error_ = HUGE_VAL, gain_error_ = HUGE_VAL, first_error_ = 0;
  AlignedVector<float> best_;
  bool stopped_ = false;
};

// Weights of mean one, so that the learning rate does not depend on their unit.
std::vector<float> normalised(std::span<const float> weights) {
  double total = 0;
  for (float w : weights) total += w;
  std::vector<float> out(weights.begin(), weights.end());
  for (float& w : out) w = float(w * (weights.size() / total));
  return out;
}

}  // namespace

FitOptions FitOptions::paper() {
  FitOptions o;
  o.max_epochs = 10'000;
  o.target_mse = 0.1;
  o.early_stopping = false;
  o.standardise = false;
  return o;
}

FitOptions FitOptions::annealed() {
  FitOptions o;
  o.batch = 256;
  o.max_epochs = 12;
  o.anneal = true;
  return o;
}

FitOptions FitOptions::preset(std::string_view name) {
  if (name == "default") return {};
  if (name == "paper") return paper();
  if (name == "annealed") return annealed();
  throw Error("no training preset '" + std::string(name) + "'; known are default, paper, annealed");
}

FitResult fit(const MlpShape& shape, const Samples& samples, const FitOptions& options, RngKey key,
              ThreadPool* pool, const Mlp* warm_start) {
  shape.validate();
  check_sizes(shape, samples, options);
  if (warm_start && warm_start->shape() != shape) {
    throw Error("fit: the warm start has another shape; start from random weights instead");
  }
  FitResult result;
  FitReport& report = result.report;
  Mlp network = warm_start ? *warm_start : Mlp::random(shape, key);
  const Inputs inputs(network.layout(), *samples.states);
  const std::vector<float> weights = normalised(samples.weights);
  if (!all_finite(samples.targets) || !all_finite(weights) || !inputs.finite() ||
      !network.finite()) {
    report.status = FitStatus::kNotFinite;
    return result;
  }

  const Moments moments(samples, shape.outputs);
  report.target_variance = moments.variance;
  std::vector<float> targets(samples.targets.begin(), samples.targets.end());
  std::vector<double> unit;
  if (options.standardise) {
    size_t i = 0;
    Moments::for_each(samples, shape.outputs, [&](int o, double, double t) {
      targets[i++] = float((t - moments.mean[o]) / moments.deviation[o]);
    });
    unit = moments.deviation;
    if (warm_start) {
      std::vector<double> scale, shift;
      for (int o = 0; o < shape.outputs; ++o) {
        scale.push_back(1 / moments.deviation[o]);
        shift.push_back(-moments.mean[o] / moments.deviation[o]);
      }
      network.rescale_outputs(scale, shift);
    }
  }

  Split split(key.fold("holdout").value, samples.rows(), options.holdout);
  const TrainingData data{&inputs, targets, weights, samples.heads, unit};
  Trainer trainer(network, data, options.loss,
                  int(std::min<size_t>(options.batch, split.training.size())), pool);
  Training training(network, trainer, split, options, key);
  report.status = training.train(report);
  training.restore_best();
  report.training_rows = int(split.training.size());
  report.validation_rows = int(split.validation.size());
  const ErrorSum errors = trainer.evaluate(split.training, options.stop);
  const bool looked = errors.weight > 0 || !asked_to_stop(options.stop);
  if (looked) report.training_mse = errors.mean();
  if (!split.validation.empty()) {
    report.validation_mse = trainer.evaluate(split.validation).mean();
  }
  // Worse than at the start and worse than a constant: the steps led away.
  const bool worse = report.training_mse > 2 * training.first_error() &&
                     report.training_mse > 2 * report.target_variance;
  if ((looked && !std::isfinite(report.training_mse)) || worse || !network.finite()) {
    report.status = FitStatus::kDiverged;
  }
  if (options.standardise) network.rescale_outputs(moments.deviation, moments.mean);
  if (report.good()) result.network = std::move(network);
  return result;
}

}  // namespace penumbra::nn

// Training a network on (state, target) samples: mini-batches, Adam, and always an error on rows
// that were held out. A small training error alone says nothing: networks that fit 10 000 samples
// to a mean square of 0.1 were seen to miss fresh states by 4 to 10.
//
//   FitResult result = fit({layout, preset("paper-rock-sample")}, samples, {}, key, &pool);
//   if (result.report.good()) use(*result.network);
//
// The result depends on the samples, options and key, not on the number of threads.
#pragma once

#include <optional>
#include <string_view>

#include "penumbra/base/rng.h"
#include "penumbra/base/stop.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/nn/fit_report.h"
#include "penumbra/nn/loss.h"
#include "penumbra/nn/mlp.h"
#include "penumbra/nn/samples.h"
#include "penumbra/nn/trainer.h"

namespace penumbra::nn {

struct FitOptions {
  int batch = 1024;
  AdamOptions adam = {};  // learning rate 0.005
  int max_epochs = 1000;
  // Stop once the mean square error falls below this: the validation error with early stopping,
  // otherwise the training error of the last epoch.
  double target_mse = 0;
  double holdout = 0.1;        // share of the rows kept for validation, in (0, 0.5]
  bool early_stopping = true;  // return the weights with the least validation error
  int patience = 150;          // steps (not epochs) without a gain of one part in a thousand
  int rate_drops = 2;          // the learning rate falls this often by rate_drop before stopping
  double rate_drop = 0.3;
  // Instead of waiting for a standstill: the learning rate falls to zero in a straight line over
  // max_epochs, and training goes on to the last of them.
  bool anneal = false;
  bool standardise = true;  // train on (target - mean) / deviation, per output
  Loss loss = {};           // Huber's delta is in trained units: deviations if standardised
  // Ends the training (base/stop.h; asked from several threads at once) with the weights that it
  // would return after that epoch. The training error is then of fewer rows; NaN: of none.
  Stop stop = {};

  // The paper's setting: raw targets, stop at training error 0.1 or 10 000 epochs. Ten percent of
  // the rows are still held out, to report what the training error hides.
  static FitOptions paper();
  // The default with batches of 256 and a rate that falls to zero over 12 epochs.
  static FitOptions annealed();
  // "default", "paper" or "annealed"; throws Error otherwise.
  static FitOptions preset(std::string_view name);
};

struct FitResult {
  std::optional<Mlp> network;  // absent unless report.good()
  FitReport report;
};

// Throws Error if sizes do not match or options are out of range. A warm start must have the same
// shape.
FitResult fit(const MlpShape& shape, const Samples& samples, const FitOptions& options, RngKey key,
              ThreadPool* pool = nullptr, const Mlp* warm_start = nullptr);

}  // namespace penumbra::nn

// Every knob of the algorithm as printed. Defaults are the paper's, where it gives them.
#pragma once

#include "penumbra/solvers/value_iteration/loop.h"

namespace penumbra::nvi {

struct PaperOptions : value_iteration::LoopOptions {
  int num_samples = 10'000;       // nb_sample
  int num_sims = 100;             // nb_sim
  int sample_depth = 100;         // longest random episode that training states come from
  bool warm_start = true;         // networks are trained from the nearest one that is there
  std::string form = "networks";  // networks: one per node | heads: on shared features
  // Hidden layers by name (nn/shape.h); auto: the paper's for states of this kind.
  std::string network = "auto";
  int features = 256;  // of heads
  double learning_rate = 0.005;
  int batch = 0;            // 0: of the training, 1024 as printed
  double target_mse = 0.1;  // training stops below this error
  int max_epochs = 0;       // or after these; 0: of the training, 10 000 as printed

  // Departures, beside those of the loop. The first that is named is as printed.
  int local_samples = 0;              // train on this many of the belief's own particles as well
  std::string targets = "bootstrap";  // bootstrap | rollout
  std::string training = "preset";    // paper | default | annealed (nn/fit.h); preset: its own
  std::string start = "network";      // n0: best at b0 by network | simulation among the ten best

  // With the departures of a preset filled in: "paper" or "paper-mended".
  PaperOptions of(const std::string& preset) const;
  void list(OptionList& list);
  // The name of the network for a model: the paper has one for RockSample, whose states are
  // categories and bits, and one for its continuous problems.
  std::string network_for(const FeatureLayout& layout) const;
};

}  // namespace penumbra::nvi

// Every knob of the algorithm as printed. Defaults are the paper's, where it gives them.
#pragma once

#include "penumbra/solvers/value_iteration/loop.h"

namespace penumbra::nvi {

struct PaperOptions : value_iteration::LoopOptions {
  int num_samples = 10'000;           // nb_sample
  int num_sims = 100;                 // nb_sim
  int sample_depth = 100;             // longest random episode that training states come from
  int local_samples = 0;              // train on this many of the belief's own particles as well
  std::string targets = "bootstrap";  // bootstrap | rollout
  std::string form = "networks";      // networks: one per node | heads: on shared features
  // Hidden layers by name (nn/shape.h); auto: the paper's for states of this kind.
  std::string network = "auto";
  int features = 256;              // of heads
  std::string training = "paper";  // stopping rule: paper | default (nn/fit.h)
  double learning_rate = 0.005;
  int batch = 1024;
  double target_mse = 0.1;        // training stops below this error
  int max_epochs = 10'000;        // or after these
  std::string start = "network";  // n0: best at b0 by network | simulation among the ten best

  void list(OptionList& list);
  // The name of the network for a model: the paper has one for RockSample, whose states are
  // categories and bits, and one for its continuous problems.
  std::string network_for(const FeatureLayout& layout) const;
};

}  // namespace penumbra::nvi

// Every knob of recurrent PPO. docs/solvers/ppo.md says what they do.
#pragma once

#include <string>

#include "penumbra/base/options.h"

namespace penumbra::ppo {

// What a run works with.
struct Settings {
  int lanes = 128;            // episodes side by side (num_envs)
  int steps = 64;             // of each per round (num_steps)
  int hidden = 128;           // units of every layer (hidden_size)
  int epochs = 3;             // passes over what was collected (update_epochs)
  int minibatches = 8;        // of whole lanes, per pass (num_minibatches)
  double rate = 1e-3;         // of learning (lr)
  double clip = 0.2;          // how far a probability may move per round (epsilon)
  double entropy = 0.5;       // weight of staying undecided (entropy_coeff)
  double value_weight = 0.5;  // of the critic's error (vf_coeff)
  double gae = 0.95;          // lambda of the advantages (lambda_0)
  double max_norm = 1.0;      // of a gradient (max_grad_norm)
  // Backups over which the rate falls to a tenth and the entropy's weight to a hundredth; 0: never.
  int decay = 6000;
};

struct PpoOptions {
  std::string preset = "default";
  // 0 (of entropy -1): the preset's.
  int lanes = 0, steps = 0, hidden = 0, epochs = 0, minibatches = 0;
  double rate = 0, clip = 0, entropy = -1, value_weight = 0, gae = 0, max_norm = 0;
  int decay = -1;          // 0: never; -1: the preset's
  int max_episode = 0;     // steps after which an episode is cut; 0: by the discount
  int evaluations = 1000;  // episodes of each simulated value

  void list(OptionList& l);
  // The preset with what was given beside it; preset "paper" goes by the name of the domain.
  // Throws Error for values that do not go together.
  Settings settings(const std::string& domain) const;
};

}  // namespace penumbra::ppo

// One episode as a program can show it: what happened, and at every step what the agent could know,
// as the numbers of the model's scene (model/scene.h). The belief is a particle filter's that runs
// beside the policy and sees what the policy sees.
#pragma once

#include <vector>

#include "penumbra/evaluate/simulate.h"

namespace penumbra {

struct RecordOptions {
  int max_steps = 100;
  int num_particles = 20'000;  // of the filter
  int cloud = 150;             // particles that are kept of each belief, where the scene wants them
};

// Before each step, and once after the last.
struct RecordedMoment {
  std::vector<float> state;  // a value per field of the scene
  std::vector<float> means;  // of the belief, a value per field
  std::vector<float> cloud;  // row-major, a row per particle of scene().cloud_fields
  bool lost = false;         // no particle explained the last observation: the filter began anew
};

struct RecordedEpisode {
  std::vector<TraceStep> steps;
  std::vector<RecordedMoment> moments;  // steps.size() + 1; none where the model has no scene
  double total = 0;                     // the return
};

// Episode `episode` of `simulate` with this key. Beliefs are kept while the episode goes on: after
// a step that ended it the last one stays as it was.
RecordedEpisode record_episode(const Pomdp& model, const Policy& policy, RngKey key,
                               uint64_t episode, const RecordOptions& options = {});

}  // namespace penumbra

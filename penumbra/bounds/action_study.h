// What a short pilot run tells about a model's moves when the state is known.
#pragma once

#include <algorithm>
#include <vector>

#include "penumbra/base/stop.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/model/pomdp.h"

namespace penumbra {

struct ActionStudy {
  // Those that differ. An action that always led where another one led, for no more reward, is
  // left out: all but one of the actions that only look, above all.
  std::vector<int> actions;
  // Whether chance decides where an action leads or what it pays; one per action of the model.
  std::vector<char> random;
  bool any_random() const { return std::find(random.begin(), random.end(), 1) != random.end(); }
};

// `stop` (base/stop.h) is asked from all threads at once. When it is stopped, all actions differ
// and all are random: nothing is known of them.
ActionStudy study_actions(const Pomdp& model, RngKey key, ThreadPool& pool, const Stop& stop = {});

// States of b0 after a walk of random length (geometric, by the discount) that keeps each action
// for a while. A step that would end the episode is not taken. When it is stopped, walks end where
// they are.
RecordBuffer walk_states(const Pomdp& model, int count, RngKey key, ThreadPool& pool,
                         const Stop& stop = {});

// Steps after which a reward counts for a hundredth, at most 500.
int effective_horizon(const Facts& facts);

}  // namespace penumbra

// What tests of planners share.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "domains/registry.h"
#include "penumbra/search/leaf.h"
#include "penumbra/search/planners.h"
#include "penumbra/search/search.h"

namespace penumbra::search {

inline RecordBuffer start_states(const Pomdp& model, size_t count = 500) {
  RecordBuffer states(model.state_size(), count);
  model.sample_initial({RngKey::from_seed(1)}, states);
  return states;
}

inline std::shared_ptr<const Leaf> leaf_of(const Pomdp& model, const std::string& kind,
                                           int steps = 0) {
  ThreadPool pool(1);
  return make_leaf(model, {.kind = kind, .steps = steps}, RngKey::from_seed(2), pool);
}

inline Decision decide(const Planner& planner, const Root& root, uint64_t simulations,
                       uint64_t seed = 3, ThreadPool* pool = nullptr) {
  return planner.start(pool)->plan(root, {.simulations = simulations}, RngKey::from_seed(seed));
}

inline std::string action_of(const Pomdp& model, const Decision& decision) {
  return model.describe_action(decision.action.data());
}

// Tiger's states: so many on the left, so many on the right.
inline RecordBuffer tigers(int left, int right) {
  RecordBuffer states(sizeof(int32_t), left + right);
  for (int i = 0; i < left + right; ++i) states.as<int32_t>(i) = i >= left;
  return states;
}

// Listens until it has heard two more on one side than on the other, then opens the other door.
inline Fsc best_of_tiger() {
  Fsc fsc;
  fsc.num_observations = 2;
  for (int action : {0, 0, 0, 2, 1}) fsc.add_node(action, 0);
  enum { kEven, kLeft, kRight, kOpenRight, kOpenLeft };
  fsc.set_edge(kEven, 0, kLeft);
  fsc.set_edge(kEven, 1, kRight);
  fsc.set_edge(kLeft, 0, kOpenRight);
  fsc.set_edge(kRight, 1, kOpenLeft);
  return fsc;
}

// The planner as a policy; `controller` is what every file name stands for.
inline std::unique_ptr<Policy> player(const std::string& spec, const Pomdp& model,
                                      const Fsc& controller = {}) {
  ThreadPool pool(1);
  return online_policy(
      spec, model, [&](const std::string&) { return Fnc{controller}; }, pool);
}

// With any number of threads for one decision.
inline void expect_same_with_threads(const Planner& planner, const Root& root, uint64_t simulations,
                                     uint64_t seed, const Decision& alone) {
  for (int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    const Decision now = decide(planner, root, simulations, seed, &pool);
    EXPECT_EQ(now.action, alone.action);
    EXPECT_EQ(now.lower, alone.lower);
    EXPECT_EQ(now.upper, alone.upper);
    EXPECT_EQ(now.beliefs, alone.beliefs);
  }
}

inline bool same_decision(const Decision& a, const Decision& b) {
  return a.action == b.action && a.value == b.value && a.steps == b.steps &&
         a.beliefs == b.beliefs && a.depth == b.depth;
}

}  // namespace penumbra::search

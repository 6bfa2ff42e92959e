// Policies for the page of a report: the controller as a graph with probabilities by simulation,
// and episodes with the belief along them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "penumbra/base/thread_pool.h"
#include "penumbra/io/policy_file.h"
#include "penumbra/policy/policy.h"
#include "penumbra/runs/json.h"

namespace penumbra {

struct PolicyPicture {
  Json controller;  // null: the policy is none
  Json alphas;      // null: no node has a network
  Json episodes = Json::array();
  Json scene;  // null: the model has none
};

struct PictureOptions {
  uint64_t visits = 20'000;  // episodes that count how a controller is used
  uint64_t episodes = 5;     // episodes to step through
  uint64_t max_steps = 100;
  uint64_t seed = 1;  // of all of these
};

// Throws Error for a policy that does not fit the model.
PolicyPicture draw_policy(const Pomdp& model, const std::string& policy_file,
                          const PictureOptions& options, ThreadPool& pool);

// The episodes of a policy that no file holds; of a planner with the tree of every step.
PolicyPicture draw_episodes(const Pomdp& model, const Policy& policy,
                            const PictureOptions& options);

}  // namespace penumbra

// Planning on the spot: a planner looks ahead from a belief and says what to do now. Planners are
// shared and only read; a Search is one planner at work, with its tree and its memory, for one
// thread. docs/online.md compares them.
//
//   auto search = planner->start();
//   Decision now = search->plan({particles, weights}, {.simulations = 1000}, key);
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "penumbra/base/rng.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/model/records.h"

namespace penumbra::search {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// How much a decision may cost: descents from the root, or time. One of them is 0. With descents
// the decision is a function of belief and key.
struct Budget {
  uint64_t simulations = 0;
  double seconds = 0;
};

// The belief to plan from, and where a controller that goes along stands in it.
struct Root {
  ConstRecords states;                // none of them terminal
  std::span<const double> weights{};  // sum to 1; empty: equal
  int node = -1;                      // of the controller, -1: there is none
  int other = -1;  // after the search had its own way: another one that it may be
};

struct Decision {
  std::vector<std::byte> action;  // a record of the model's
  double value = kUnknown;        // what the planner makes of it
  double lower = kUnknown;        // at the root, where the planner keeps them:
  double upper = kUnknown;        // estimates, as they come from samples
  int node = -1;                  // of the controller at this belief, where one goes along
  bool by_search = true;          // false: the controller's own action
  uint64_t simulations = 0;       // descents
  uint64_t steps = 0;             // of the model
  int beliefs = 0;                // in the tree
  int depth = 0;                  // of the tree
};

// A part of the tree for people: rows in depth-first order, actions and beliefs in turn.
struct TreeRow {
  int level = 0;      // 0: the root belief; odd: actions; even: beliefs
  std::string label;  // the action, or the observation
  double share = 0;   // visits, or the chance of the observation
  double value = kUnknown, lower = kUnknown, upper = kUnknown;
  bool chosen = false;
};

class Search {
 public:
  virtual ~Search() = default;
  // Always an answer, even where the budget does not last for a single descent.
  virtual Decision plan(const Root& root, const Budget& budget, RngKey key) = 0;
  // The last tree, its likeliest `most` rows down to `levels`.
  virtual std::vector<TreeRow> rows(int levels, int most) const = 0;
};

class Planner {
 public:
  virtual ~Planner() = default;
  virtual std::string describe() const = 0;
  // `pool`: threads for one decision; the result does not depend on how many. The planner outlives
  // its searches.
  virtual std::unique_ptr<Search> start(ThreadPool* pool = nullptr) const = 0;
};

}  // namespace penumbra::search

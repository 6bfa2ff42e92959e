// One who plans while it acts: what a robot's program calls. An agent is in one episode at a time,
// keeps the belief of it, and takes all threads of its pool for one decision.
//
//   Agent agent(model, "despot(time=0.1s)", seed, pool);
//   while (running) {
//     robot.execute(agent.act());
//     agent.observe(robot.sense());
//   }
//
// With simulations= the actions are a function of seed and observations, for any number of threads;
// with time= they also depend on the machine. Many episodes side by side: OnlinePolicy.
#pragma once

#include <string>
#include <type_traits>

#include "penumbra/search/planners.h"

namespace penumbra::search {

class Agent {
 public:
  // `planner` as planners.h reads it; `read` opens the controllers that it names, if any. The model
  // and the pool outlive the agent. Throws Error for what the planner cannot take.
  Agent(const Pomdp& model, const std::string& planner, uint64_t seed, ThreadPool& pool,
        const ReadController& read = {});

  // Begins the next episode, from b0. The constructor begins the first one.
  void restart();

  // What to do now. Asked again before an observation it plans again. Throws Error where the
  // model's actions are not ints.
  int act();
  // The same where an action is a record of another type.
  template <class T>
  T act_as() {
    T action;
    check_size(sizeof(T), model_.action_size(), "an action");
    std::memcpy(&action, act_record(), sizeof(T));
    return action;
  }
  const std::byte* act_record();  // valid until the next one

  // What was seen after the last action: an int, or a record of the type that sensed() has, which
  // is the model before its observations were grouped unless raw=false. The episode went on: who
  // sees that it has ended calls restart. Throws Error if there was no action.
  template <class T>
  void observe(const T& seen) {
    static_assert(std::is_trivially_copyable_v<T>);
    if constexpr (std::is_arithmetic_v<T>) check_kind(std::is_integral_v<T>);
    check_size(sizeof(T), sensed_.seen_size(), "an observation");
    observe_record(reinterpret_cast<const std::byte*>(&seen));
  }
  void observe_record(const std::byte* seen);
  const Pomdp& sensed() const { return sensed_; }

  // About the last action: what the planner makes of it, and its tree.
  const Decision& decision() const { return decision_; }
  std::vector<TreeRow> rows(int levels, int most) const { return search_->rows(levels, most); }
  // About the last observation: `revived` says that no particle explained it.
  const FilterReport& filter_report() const { return filter_report_; }
  const Particles& belief() const { return belief_; }
  const std::string& describe() const { return named_.text; }

 private:
  void check_size(size_t given, size_t wanted, const char* what) const;
  void check_kind(bool whole_number) const;

  const Pomdp& model_;
  NamedPlanner named_;
  const Pomdp& sensed_;  // the model that the filter knows: before observations were grouped if raw
  ParticleFilter filter_;
  std::unique_ptr<Search> search_;
  RngKey seed_key_, key_;  // of the agent, of the episode
  uint64_t episode_ = 0;
  int step_ = 0;
  bool acted_ = false;          // since the last observation
  int node_ = -1, other_ = -1;  // of the guide
  Particles belief_;
  Decision decision_;
  FilterReport filter_report_;
};

}  // namespace penumbra::search

// A first plan by habits (habits.h), for models that are too large for functions of their states
// and whose observations tell a lot: several agents with memories of several forms learn side by
// side; the worst make room, first for the better, then for copies of the best that go their own
// ways.
#pragma once

#include "penumbra/base/options.h"
#include "penumbra/solvers/first_plan.h"
#include "penumbra/solvers/habits/habits.h"

namespace penumbra::habits {

struct PlanOptions {
  HabitOptions habits;
  int agents = 4;  // that learn side by side in the long run

  void list(OptionList& l);
};

class Plan final : public FirstPlan {
 public:
  Plan(const Pomdp& model, const PlanOptions& options, double memory, RngKey key, ThreadPool& pool);

  bool run(const Stop& stop) override;
  bool finished() const override { return finished_; }
  uint64_t backups() const override { return batches_; }  // one for each batch of episodes
  double simulator_steps() const override { return steps_; }
  double claim() const override;  // with exploration
  std::vector<Fnc> controllers() const override;
  // Over when several times the work has not raised what controllers are worth.
  void judged(double value) override;

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 private:
  struct Agent {
    int form = 0;
    Habits habits;
    double value = 0;  // of the last rounds
  };
  template <class Archive>
  void archive_all(Archive& a) {
    auto count = static_cast<uint64_t>(agents_.size());
    a(count, round_, next_selection_, batches_, best_at_, steps_, best_value_, finished_);
    if constexpr (Archive::kLoading) agents_.resize(count);
    for (Agent& agent : agents_) {
      a(agent.form, agent.value);
      if constexpr (Archive::kLoading)
        agent.habits = Habits(forms_.at(agent.form), options_.habits, {});
      a(agent.habits);
    }
  }
  void select();
  const Agent& best() const;

  const Pomdp& model_;
  PlanOptions options_;
  RngKey key_;
  ThreadPool& pool_;
  size_t most_nodes_;
  std::vector<MemoryForm> forms_;
  std::vector<Agent> agents_;
  uint64_t round_ = 0, next_selection_, batches_ = 0;
  uint64_t best_at_ = 0;
  double steps_ = 0, best_value_;
  bool finished_ = false;
};

// For solvers that begin with such a plan; `options` is copied, the model outlives the plan. Needs
// features and finite actions and observations.
MakeFirstPlan first_plan(const Pomdp& model, const PlanOptions& options);

}  // namespace penumbra::habits

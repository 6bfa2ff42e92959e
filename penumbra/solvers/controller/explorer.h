// Goal-directed exploration: what to do at a belief when the aim is to find something new. A goal
// is kept for many steps, so that whole chains ("go there, look, take it, go on") come about.
#pragma once

#include <optional>

#include "penumbra/bounds/mdp_value.h"
#include "penumbra/model/action_stock.h"
#include "penumbra/solvers/controller/path_belief.h"
#include "penumbra/solvers/controller/sequence_plan.h"

namespace penumbra::controller {

// How one burst of exploration chooses its actions.
enum class Burst {
  kThompson,    // as if a state drawn from the belief were true, until the observations deny it
  kAverage,     // the best on average over the belief if the state were known from the next step
  kPersistent,  // a random action, kept for a random time
  kFollow,      // the controller's own: its histories are backed up, not new ones
  kSearch,      // none: a tree search plans from the departure (search_plan.h)
};
inline constexpr int kNumBursts = 5;

class Explorer {
 public:
  // `stock`: the model, where its actions are a box. What is chosen may then be a new row of it.
  Explorer(const Pomdp& model, const MdpValue& values, int num_states, bool use_likelihood,
           ActionStock* stock = nullptr)
      : model_(model),
        values_(values),
        stock_(stock),
        num_states_(num_states),
        use_likelihood_(use_likelihood && model.has(Capability::kLikelihood)) {
    if (stock) plan_.emplace(stock->inner(), values, stock->rows(0, stock->num_first()));
  }

  // The first two kinds look before they leap: where looking first (an action that only observes,
  // or any action if there are few) and then choosing is worth more than acting at once, they look.
  // In a box they plan ahead (sequence_plan.h), and look around now and then.
  int choose(PathBelief& belief, Burst burst, int last_action, RngKey key);
  uint64_t planned_steps() const { return plan_ ? plan_->steps() : 0; }

 private:
  int choose_planned(PathBelief& belief, Burst burst, RngKey key);
  // r + discount * E_o max_a' E[Q(s', a') | o]: what acting after this action's observation is
  // worth. `q` of the states themselves, where the action leaves them as they are; else empty.
  double worth_of_looking(ConstRecords states, int action, std::vector<double> q, RngKey key) const;

  const Pomdp& model_;
  const MdpValue& values_;
  ActionStock* stock_;
  std::optional<SequencePlan> plan_;
  int num_states_;
  bool use_likelihood_;
};

}  // namespace penumbra::controller

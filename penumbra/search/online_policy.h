// A planner as a policy: a particle filter follows what happens, and every action is planned anew
// from its belief. A lane's memory is the belief (and the guide's node), so episodes run in
// parallel lanes; the trees belong to the threads.
#pragma once

#include <mutex>

#include "penumbra/belief/particle_filter.h"
#include "penumbra/model/classified.h"
#include "penumbra/policy/policy.h"
#include "penumbra/search/guide.h"
#include "penumbra/search/search.h"

namespace penumbra::search {

struct OnlineOptions {
  int particles = 50'000;  // of the filter
  Budget budget{.simulations = 1000};
};

class OnlinePolicy final : public Policy {
 public:
  // `guide`: the controller that goes along, or null. `groups`: null, or what makes the model's
  // observations of those that it is told: the filter takes them as they are. It outlives this.
  OnlinePolicy(std::shared_ptr<const Pomdp> model, std::unique_ptr<const Planner> planner,
               std::shared_ptr<const Guide> guide, const OnlineOptions& options,
               std::string description, const Classified* groups = nullptr);

  std::string describe() const override { return description_; }
  size_t memory_size() const override;
  void check_model(const Pomdp& model) const override;
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;

  // One decision with its tree, for people.
  struct Look {
    Decision decision;
    std::vector<TreeRow> rows;
  };
  // `act` of one lane, with its tree.
  Look act_and_look(Records memory, Streams streams, Records action, int levels,
                    int most_rows) const;

 private:
  struct Lane;
  Lane lane(std::byte* memory) const;
  Decision decide(Search& search, const Lane& lane, RngKey key) const;
  std::unique_ptr<Search> borrow() const;
  void give_back(std::unique_ptr<Search> search) const;

  std::shared_ptr<const Pomdp> owned_;
  const Pomdp& model_;
  std::unique_ptr<const Planner> planner_;
  std::shared_ptr<const Guide> guide_;
  OnlineOptions options_;
  std::string description_;
  const Classified* groups_;
  std::shared_ptr<const Pomdp> sensed_;  // the model that the filter knows
  ParticleFilter filter_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Search>> idle_;
};

}  // namespace penumbra::search

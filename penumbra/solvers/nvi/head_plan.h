// Neural value iteration without rollouts: point-based value iteration on gated heads
// (gated_heads.h), backed up on samples of every category (sample_model.h) at the beliefs of walks
// that follow the plan (head_walk.h). The plan is a controller of the model as it stands; what its
// heads are too simple for, verified rounds put right.
#pragma once

#include <cmath>

#include "penumbra/solvers/first_plan.h"
#include "penumbra/solvers/nvi/head_walk.h"

namespace penumbra::nvi {

struct HeadPlanOptions {
  SampleModelOptions samples;
  controller::PathBeliefOptions belief{.particles = 16'384, .min_particles = 256};
  int most_heads = 400;  // per category
  int depth = 100;       // longest walk and rollout
};

class HeadPlan final : public FirstPlan {
 public:
  // Throws Stopped (base/stop.h) if it is stopped while it takes samples. Keeps references.
  HeadPlan(const Pomdp& model, const HeadPlanOptions& options, const MdpValue& values, RngKey key,
           ThreadPool& pool, const Stop& stop);

  bool run(const Stop& stop) override;
  // When several times the backups have hardly gained.
  bool finished() const override { return finished_; }
  uint64_t backups() const override { return backups_; }
  int num_nodes() const { return nodes_.num_nodes(); }
  double simulator_steps() const override { return static_cast<double>(steps_); }
  double claim() const override;
  // From the heads that claim most at b0.
  std::vector<Fnc> controllers() const override;
  void judged(double value) override;

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 private:
  template <class Archive>
  void archive_all(Archive& a) {
    a(round_, backups_, steps_, least_rise_, last_claim_, best_value_, best_at_, finished_,
      nodes_.action, nodes_.edges, heads_);
  }

  const Pomdp& model_;
  HeadPlanOptions options_;
  const MdpValue& values_;
  RngKey key_;
  ThreadPool& pool_;
  SampleModel samples_;
  GatedHeads heads_;
  BeliefMoments start_;
  Fsc nodes_;
  uint64_t round_ = 0, backups_ = 0, steps_ = 0;
  float least_rise_ = 0;
  double last_claim_ = 0;
  double gain_ = 0;                // that counts
  double best_value_ = -HUGE_VAL;  // simulated
  uint64_t best_at_ = 0;           // backups
  bool finished_ = false;
};

MakeFirstPlan first_plan(const Pomdp& model, const HeadPlanOptions& options);

}  // namespace penumbra::nvi

// MC-backup as the paper prints it, for the preset "paper": alpha_n(s') is the mean of nb_rollout
// simulations of the policy graph from node n and state s', for every action, particle and node.
// A backup takes up to
//
//   |A| x nb_particle x nb_node x nb_rollout x d
//
// calls of the simulator (fewer where episodes end). The lower value of a belief, for which the
// paper gives no recipe, is found by a race among the nodes.
#pragma once

#include "penumbra/policy/rollouts.h"
#include "penumbra/solvers/value_iteration/loop.h"

namespace penumbra::mcvi {

struct PaperOptions : value_iteration::LoopOptions {
  int num_rollouts = 1;   // nb_rollout; not given in the paper
  int rollout_depth = 0;  // d; 0: where the discount leaves a hundredth. Not given in the paper

  void list(OptionList& list);
};

class McBackup final : public value_iteration::Backup {
 public:
  McBackup(const Pomdp& model, const PaperOptions& options, ThreadPool& pool, Work& work);

  const Fsc& fsc() const override { return fsc_; }
  int count() const override { return fsc_.num_nodes(); }
  value_iteration::BestNode best(const Particles& belief, int first, RngKey key) const override;
  bool run(const Particles& belief, RngKey key, const std::function<bool()>& stop) override;
  std::vector<double> all_values(const Particles& belief, RngKey key,
                                 const std::function<bool()>& stop) override;
  Fnc with_networks(const Fsc& fsc) override { return {fsc, {}, nullptr}; }

  // G as it is from here on.
  void set_controller(Fsc fsc) {
    fsc_ = std::move(fsc);
    root_values_.clear();
  }
  // The formula above, for the controller as it is.
  double printed_cost() const;

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 private:
  template <class Archive>
  void archive_all(Archive& a);
  // sums[node] += returns on the states with the streams `ids`. False: stopped.
  bool add_returns(ConstRecords states, std::span<const uint64_t> ids, RngKey key,
                   std::span<double> sums, uint64_t& steps,
                   const std::function<bool()>& stop) const;

  const Pomdp& model_;
  const PaperOptions& options_;
  int depth_;
  ThreadPool& pool_;
  Work& work_;
  Fsc fsc_;                          // G
  std::vector<double> root_values_;  // of the nodes so far: they never change
};

}  // namespace penumbra::mcvi

// The MC-backup for continuous observations (policy/likelihood_controller.h). For every action the
// belief's particles are simulated; candidate successors are valued by rollouts in the states that
// come out, and each observation that was drawn chooses the best for the belief after it. Those
// that are ever chosen become the new node's successors. As in nvi's verified backup the choice is
// judged on fresh particles, and a node is made only if it beats all that exists there.
#pragma once

#include "penumbra/belief/particles.h"
#include "penumbra/solvers/controller/origins.h"
#include "penumbra/solvers/mcvi/likelihood_rollouts.h"

namespace penumbra::mcvi {

struct LikelihoodOptions {
  int samples = 64;        // states that a node keeps, with the values of its successors there
  int value_rollouts = 4;  // per value that a node keeps
  int pivots = 6;          // observations for whose beliefs similar nodes are looked for
  int by_similarity = 4;   // nodes made for the most similar beliefs, per pivot
  int check = 128;         // fresh particles to rank actions on
  int score = 512;         // fresh particles for the paired comparison
  int refine = 4;          // of a box of actions: drawn around the best one, per generation
  int particles() const { return samples + check + score; }
};

// One of a finite set, or of a box.
struct NodeAction {
  int number = 0;
  std::vector<float> real{};
  const std::byte* record() const {
    return real.empty() ? reinterpret_cast<const std::byte*>(&number)
                        : reinterpret_cast<const std::byte*>(real.data());
  }
};

struct LikelihoodResult {
  int node = -1;  // the best for the belief, new (appended to the controller) or old
  bool is_new = false;
  double gain = 0, gain_error = 0;  // over `current`, and its standard error
};

class LikelihoodBackup {
 public:
  LikelihoodBackup(const Pomdp& model, const LikelihoodOptions& options, int max_depth)
      : model_(model), options_(options), rollouts_(model, max_depth) {}

  // `states`: at least options.particles() draws of the belief in random order; more are for the
  // comparison. `origins[i]` belongs to node
  // i of the controller, as far as there are any; `extra` nodes are candidates anyway.
  LikelihoodResult run(LikelihoodController& controller, const controller::Origins& origins,
                       ConstRecords states, int current, std::span<const int> extra,
                       std::span<const NodeAction> actions, double z, RngKey key);

  uint64_t steps() const { return steps_ + rollouts_.steps(); }

 private:
  // One action's node, or none where every particle ended.
  LikelihoodNode make_node(const LikelihoodController& controller,
                           const controller::Origins& origins, ConstRecords states,
                           const NodeAction& action, std::span<const int> extra, bool similar,
                           RngKey key);
  void screen(const LikelihoodController& controller, ConstRecords states,
              std::vector<int>& candidates, RngKey key);
  void refine(LikelihoodController& controller, const controller::Origins& origins,
              ConstRecords first, ConstRecords second, std::vector<int>& made, RngKey key);
  void add_similar(const controller::Origins& origins, const LikelihoodNode& node,
                   ConstRecords seen, std::vector<int>& candidates);

  const Pomdp& model_;
  LikelihoodOptions options_;
  LikelihoodRollouts rollouts_;
  std::vector<double> scratch_;
  uint64_t steps_ = 0;
};

}  // namespace penumbra::mcvi

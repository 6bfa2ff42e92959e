// The belief tree T of CollectBeliefs (the paper's appendix). A node is a belief of particles with
// an upper value (QMDP, then Bellman backups over its children) and a lower one (of the
// controller). Both are means over samples: close to bounds, but not proven ones.
#pragma once

#include <deque>
#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/belief/particles.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/solvers/archive_parts.h"
#include "penumbra/solvers/value_iteration/node_values.h"
#include "penumbra/solvers/work.h"

namespace penumbra::value_iteration {

struct TreeOptions {
  int num_particles = 10'000;   // nb_particle
  int bound_particles = 2'000;  // of them, for the upper and lower value of a new belief
  bool use_likelihood = true;   // false: rejection even where the model offers a likelihood
  int max_tries = 8;            // rejection: passes over the particles for rare observations
};

// tau(b, a, o) for one action and every observation that can follow, from one pass over the
// particles. Beliefs keep distinct states with weights.
struct Successor {
  int seen;
  double probability;  // Pr(o | b, a), and the episode went on
  Particles belief;
};
struct Successors {
  double reward = 0;  // mean, R(b, a)
  std::vector<Successor> beliefs;
  double steps = 0;  // of the simulator
};
Successors successors(const Pomdp& model, const Particles& belief, int action,
                      const TreeOptions& options, RngKey key, ThreadPool& pool);

// Equal states merged, in order of first appearance; those of weight zero are dropped.
Particles distinct(const Particles& belief);

class BeliefTree {
 public:
  struct Edge {
    int seen = 0, child = 0;
    double probability = 0;
    template <class Archive>
    void archive(Archive& a) {
      a(seen, child, probability);
    }
  };
  struct Node {
    Particles belief;
    double upper = 0, lower = 0;
    int known = 0;                         // nodes of the controller that `lower` takes in
    int best = -1;                         // the one of them that is worth `lower`; -1: none
    std::vector<double> reward;            // R(b, a)
    std::vector<double> q_upper;           // per action
    std::vector<std::vector<Edge>> edges;  // per action; empty until it is expanded
    std::vector<char> expanded;            // per action
    template <class Archive>
    void archive(Archive& a) {
      a(belief, upper, lower, known, best, reward, q_upper, edges, expanded);
    }
  };

  // The root is b0. Everything given must outlive the tree.
  BeliefTree(const Pomdp& model, const MdpValue& mdp, const TreeOptions& options, RngKey key,
             ThreadPool& pool, Work& work);

  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& operator[](int node) const { return nodes_[node]; }
  double discount() const { return model_.facts().discount; }

  // Makes the children of (node, action) for all observations, unless they are there.
  void expand(int node, int action);
  // The Bellman backup of the upper values, over the actions expanded so far.
  void backup_upper(int node);
  // lower = max over the controller's nodes of b . alpha; only those that are new since the last
  // call cost.
  void update_lower(int node, const NodeValues& values);

  template <class Archive>
  void archive(Archive& a) {
    a(nodes_);
  }

 private:
  int add(Particles belief);
  void start_bounds(Node& node, RngKey key) const;

  const Pomdp& model_;
  const MdpValue& mdp_;
  TreeOptions options_;
  RngKey key_;
  ThreadPool& pool_;
  Work& work_;
  std::deque<Node> nodes_;  // references stay valid as it grows
};

}  // namespace penumbra::value_iteration

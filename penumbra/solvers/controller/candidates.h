// Which of the controller's nodes could follow at a belief: the one thing in which nvi and mcvi
// differ. nvi asks networks (nvi/network_candidates.h), mcvi simulates (mcvi/race.h). Being a
// candidate is only a reason to look: what is taken is decided by simulation (verified_backup.h).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "penumbra/base/archive.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/nn/value_bank.h"
#include "penumbra/policy/rollouts.h"

namespace penumbra::controller {

// What a node did on the belief that it was made for, by simulation.
struct TrainingSet {
  RecordBuffer states;         // particles of that belief
  std::vector<float> returns;  // of the node, one per state
};

// What candidates keep of a node, found without looking at other nodes and sent as it is.
struct FittedNode {
  nn::FittedFunction function;  // where nodes have networks
  std::vector<float> origin;    // of the belief that it was made for

  template <class Archive>
  void archive(Archive& a) {
    a(function, origin);
  }
};

// A node of the excursion under way, and the belief that it was made for.
struct RecentNode {
  int node;
  std::vector<float> origin;  // Candidates::origin of that belief
};

// Groups of states, each a sample of a belief for which candidates are wanted.
struct CandidateQuery {
  const Fsc& fsc;
  ConstRecords states;
  std::span<const int32_t> group;  // of each state; negative: of none
  int num_groups;
  std::span<const uint64_t> id;  // of each state's random numbers in simulations
  std::span<const RecentNode> recent;
  Rollouts& rollouts;
  RngKey key;
};

class Candidates {
 public:
  virtual ~Candidates() = default;

  // Candidates for each group, best first; none for a group without states.
  virtual void find(const CandidateQuery& query, std::vector<std::vector<int>>& out) const = 0;
  // What similarity of beliefs is measured in: the mean of some features. Empty: not known.
  virtual std::vector<float> origin(ConstRecords states) const = 0;
  // Evaluations of networks that a query with so many states takes.
  virtual uint64_t network_evaluations(size_t num_states) const = 0;

  // What is worth knowing of a node. `pool_returns` are its returns from the states of the pool.
  // Const, so that many are fitted at once; within a chunk of a pool without a pool.
  virtual FittedNode fit(const TrainingSet& own, std::span<const float> pool_returns, RngKey key,
                         ThreadPool* pool) const = 0;
  // Makes the node known.
  virtual void insert(int node, const FittedNode& fitted) = 0;
  void add(int node, const TrainingSet& own, std::span<const float> pool_returns, RngKey key,
           ThreadPool& pool) {
    insert(node, fit(own, pool_returns, key, &pool));
  }
  // What is known of `old_node` now speaks for `new_node`.
  virtual void hand_over(int old_node, int new_node) = 0;
  // Nodes have been renumbered: new_number[old], negative when gone.
  virtual void renumber(std::span<const int> new_number) = 0;

  // States on which every node is tried out before it is added; may be none.
  virtual void set_pool(RecordBuffer states, ThreadPool& pool) = 0;
  virtual const RecordBuffer& pool_states() const = 0;

  // The mean error of the fits since it was last asked for; negative: there were none.
  virtual double take_training_error() { return -1; }
  // Whether nodes that are added get one.
  virtual bool has_networks() const { return false; }
  // The networks, and which of them each of so many nodes has; nothing without networks.
  virtual nn::Bytes save_networks() const { return {}; }
  virtual std::vector<int> alpha(int /*num_nodes*/) const { return {}; }
  // One of the same kind and pool that knows no node yet.
  virtual std::unique_ptr<Candidates> fresh(RngKey key, ThreadPool& pool) const = 0;

  // Everything but the pool, which is set again after loading.
  virtual void archive(Saver& saver) = 0;
  virtual void archive(Loader& loader) = 0;
};

using MakeCandidates = std::function<std::unique_ptr<Candidates>(RngKey)>;

}  // namespace penumbra::controller

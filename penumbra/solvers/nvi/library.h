// The controller's nodes as candidates for a belief: those whose networks promise most there, and
// those that were made for the most similar beliefs. A promise is only a reason to look: what is
// taken is decided by simulation (verified_backup.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "penumbra/nn/feature_map.h"
#include "penumbra/nn/value_bank.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/nvi/fit_errors.h"

namespace penumbra::nvi {

struct LibraryOptions {
  int by_value = 4;       // candidates by network value
  int by_birth = 4;       // candidates by similarity of the belief they were made for
  int newborns = 3;       // candidates among the nodes of the same excursion
  int sketch_width = 64;  // features that similarity is measured in
  int pool_states = 256;  // states that every network is fitted on, beside its own
  nn::BankOptions bank{};
};

// What a network is fitted to: returns of its node, by simulation.
struct TrainingSet {
  RecordBuffer states;         // particles of the belief that the node was made for
  std::vector<float> returns;  // of the node, one per state
};

// A node without a network yet, and the belief that it was made for.
struct Newborn {
  int node;
  std::vector<float> birth;  // Library::birth of that belief
};

class Library {
 public:
  Library(const Pomdp& model, const LibraryOptions& options, RngKey key);

  // States that all later networks are fitted on too.
  void set_pool(RecordBuffer states, ThreadPool& pool);
  const RecordBuffer& pool_states() const { return pool_states_; }

  // Fits a network for the node; `pool_returns` are its returns from the pool's states.
  void add(int node, const TrainingSet& own, std::span<const float> pool_returns, RngKey key,
           ThreadPool& pool);
  // The network of `old_node` now speaks for `new_node`.
  void hand_over(int old_node, int new_node);
  // Nodes have been renumbered: new_number[old], negative when gone.
  void renumber(std::span<const int> new_number);

  // Candidates for each group of states (group[i] < 0: belongs to none), best first; of
  // `newborns` those that were made for the most similar beliefs.
  void candidates(ConstRecords states, std::span<const int32_t> group, int num_groups,
                  std::span<const Newborn> newborns, std::vector<std::vector<int>>& out) const;
  // The mean features of a belief: what similarity is measured in.
  std::vector<float> birth(ConstRecords states) const;

  int size() const { return static_cast<int>(node_.size()); }
  const std::shared_ptr<nn::ValueBank>& bank() const { return bank_; }
  // alpha of an Fnc with this many nodes.
  std::vector<int> alpha(int num_nodes) const;
  uint64_t evaluations() const { return evaluations_; }
  void count_evaluations(uint64_t n) { evaluations_ += n; }
  FitErrors& fit_errors() { return fit_errors_; }

  // Everything but the pool; a library that was loaded needs set_pool again.
  template <class Archive>
  void archive(Archive& a) {
    nn::Bytes bank;
    if constexpr (!Archive::kLoading) bank = bank_->save();
    a(bank, node_, function_, birth_, birth_square_, evaluations_);
    if constexpr (Archive::kLoading) bank_ = nn::load_bank(bank, options_.bank);
  }

 private:
  const Pomdp& model_;
  LibraryOptions options_;
  std::shared_ptr<nn::ValueBank> bank_;
  nn::FeatureMap sketch_;
  std::vector<int> node_;            // per function
  std::vector<int> function_;        // per node, -1: none
  std::vector<float> birth_;         // [function][sketch_width]: mean features where it was made
  std::vector<float> birth_square_;  // [function]
  RecordBuffer pool_states_;
  uint64_t evaluations_ = 0;
  FitErrors fit_errors_;
};

}  // namespace penumbra::nvi

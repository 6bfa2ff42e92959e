// The controller's nodes as candidates: those whose alpha functions promise most at a belief, and
// those that were made for the most similar beliefs. Without alpha functions similarity alone
// counts.
#pragma once

#include "penumbra/nn/value_bank.h"
#include "penumbra/solvers/controller/candidates.h"
#include "penumbra/solvers/controller/origins.h"
#include "penumbra/solvers/nvi/fit_errors.h"

namespace penumbra::nvi {

using controller::CandidateQuery;
using controller::Candidates;
using controller::FittedNode;
using controller::RecentNode;
using controller::TrainingSet;

struct NetworkCandidateOptions {
  bool networks = true;    // false: no alpha functions
  int by_value = 4;        // candidates by network value
  int by_similarity = 4;   // candidates by similarity of the belief they were made for
  int same_excursion = 3;  // candidates among the nodes of the same excursion
  int sketch_width = 64;   // features that similarity is measured in
  nn::BankOptions bank{.features = 128};
};

class NetworkCandidates final : public Candidates {
 public:
  NetworkCandidates(const Pomdp& model, const NetworkCandidateOptions& options, RngKey key);

  // States that all later networks are fitted on too.
  void set_pool(RecordBuffer states, ThreadPool& pool) override;
  const RecordBuffer& pool_states() const override { return pool_states_; }

  // Fits a network for the node.
  FittedNode fit(const TrainingSet& own, std::span<const float> pool_returns, RngKey key,
                 ThreadPool* pool) const override;
  void insert(int node, const FittedNode& fitted) override;
  void hand_over(int old_node, int new_node) override;
  void renumber(std::span<const int> new_number) override;

  void find(const CandidateQuery& query, std::vector<std::vector<int>>& out) const override;
  std::vector<float> origin(ConstRecords states) const override { return origins_.sketch(states); }
  uint64_t network_evaluations(size_t num_states) const override {
    return bank_ ? num_states * node_.size() : 0;
  }

  bool has_networks() const override { return bank_ != nullptr; }
  nn::Bytes save_networks() const override { return bank_ ? bank_->save() : nn::Bytes(); }
  std::unique_ptr<Candidates> fresh(RngKey key, ThreadPool& pool) const override;
  std::vector<int> alpha(int num_nodes) const override;
  double take_training_error() override { return fit_errors_.take(); }

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 private:
  template <class Archive>
  void archive_all(Archive& a) {
    nn::Bytes bank;
    if constexpr (!Archive::kLoading) bank = save_networks();
    a(bank, node_, function_, origins_);
    if constexpr (Archive::kLoading)
      if (options_.networks) bank_ = nn::load_bank(bank, options_.bank);
  }

  const Pomdp& model_;
  NetworkCandidateOptions options_;
  std::shared_ptr<nn::ValueBank> bank_;  // null: without networks
  std::vector<int> node_;                // per function
  std::vector<int> function_;            // per node, -1: none
  controller::Origins origins_;          // one per function
  RecordBuffer pool_states_;
  FitErrors fit_errors_;
};

}  // namespace penumbra::nvi

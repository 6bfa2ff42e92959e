// Candidate successors by simulation alone, for mcvi: nodes have no networks. For each belief some
// nodes enter a race: those that were made for the most similar beliefs (where the model has
// features), some drawn at random, and those of the same excursion. All start with a few particles
// of the belief; the better half goes on with twice as many, until a handful is left. With all
// nodes on all particles this would be the MC-backup, whose cost the race avoids.
#pragma once

#include <optional>

#include "penumbra/solvers/controller/candidates.h"
#include "penumbra/solvers/controller/origins.h"

namespace penumbra::mcvi {

struct RaceOptions {
  int by_similarity = 16;   // nodes made for the most similar beliefs that enter
  int random_nodes = 16;    // nodes drawn at random that enter
  int first_particles = 2;  // particles of the first heat; each heat doubles them
  int winners = 6;          // nodes that the race ends with
  int same_excursion = 3;   // of the same excursion, without a race
  int sketch_width = 64;    // features that similarity is measured in
};

class Race final : public controller::Candidates {
 public:
  Race(const Pomdp& model, const RaceOptions& options, RngKey key);

  void find(const controller::CandidateQuery& query,
            std::vector<std::vector<int>>& out) const override;
  std::vector<float> origin(ConstRecords states) const override;
  uint64_t network_evaluations(size_t) const override { return 0; }

  controller::FittedNode fit(const controller::TrainingSet& own,
                             std::span<const float> pool_returns, RngKey key,
                             ThreadPool* pool) const override;
  void insert(int node, const controller::FittedNode& fitted) override;
  void hand_over(int old_node, int new_node) override;
  void renumber(std::span<const int> new_number) override;
  void set_pool(RecordBuffer states, ThreadPool&) override { pool_states_ = std::move(states); }
  const RecordBuffer& pool_states() const override { return pool_states_; }

  std::unique_ptr<controller::Candidates> fresh(RngKey key, ThreadPool& pool) const override;

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 private:
  template <class Archive>
  void archive_all(Archive& a) {
    a(node_);
    if (origins_) a(*origins_);
  }
  // The nodes that start the race of each group.
  std::vector<std::vector<int>> entrants(const controller::CandidateQuery& query,
                                         std::vector<std::vector<int>>& recent) const;

  const Pomdp& model_;
  RaceOptions options_;
  std::optional<controller::Origins> origins_;
  std::vector<int> node_;  // per origin; without features, all nodes
  RecordBuffer pool_states_;
};

}  // namespace penumbra::mcvi

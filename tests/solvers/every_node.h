// Candidates for tests: every node that is allowed, for every belief. Writes down what it is told.
#pragma once

#include <numeric>

#include "penumbra/solvers/controller/candidates.h"

namespace penumbra::controller {

class EveryNode final : public Candidates {
 public:
  void find(const CandidateQuery& query, std::vector<std::vector<int>>& out) const override {
    out.assign(query.num_groups, {});
    for (int32_t g : query.group) {
      if (g < 0 || !out[g].empty()) continue;
      out[g] = only;
      if (!only.empty()) continue;
      out[g].resize(query.fsc.num_nodes());
      std::iota(out[g].begin(), out[g].end(), 0);
    }
  }
  std::vector<float> origin(ConstRecords) const override { return {}; }
  uint64_t network_evaluations(size_t) const override { return 0; }
  FittedNode fit(const TrainingSet&, std::span<const float>, RngKey, ThreadPool*) const override {
    return {};
  }
  void insert(int node, const FittedNode&) override { added.push_back(node); }
  void hand_over(int old_node, int new_node) override {
    handed_over.emplace_back(old_node, new_node);
  }
  void renumber(std::span<const int> new_number) override {
    renumbered.assign(new_number.begin(), new_number.end());
  }
  void set_pool(RecordBuffer, ThreadPool&) override {}
  const RecordBuffer& pool_states() const override { return no_states_; }
  std::unique_ptr<Candidates> fresh(RngKey, ThreadPool&) const override {
    return std::make_unique<EveryNode>();
  }
  void archive(Saver&) override {}
  void archive(Loader&) override {}

  std::vector<int> only;  // empty: all nodes of the controller
  std::vector<int> added, renumbered;
  std::vector<std::pair<int, int>> handed_over;

 private:
  RecordBuffer no_states_;
};

}  // namespace penumbra::controller

// Alpha functions that are linear within a category: alpha_n(s) = W_n[c(s)] . u(s). A node's
// function is kept for the categories of the belief that it was made for; elsewhere it is worth the
// least that can be. The weights of all functions of a category lie side by side, so that all of
// them are valued at a belief by one product.
//
// On-policy correction: what executing a node really returned, against what its function said, is
// kept per function and category and lowers its constant. Nodes never change, so this only ever
// becomes more precise. It never raises one: of many functions the one that is taken claims most,
// and that would be the one whose few returns were lucky.
#pragma once

#include <span>
#include <vector>

#include "penumbra/nn/gated_bank.h"
#include "penumbra/solvers/nvi/sample_model.h"

namespace penumbra::nvi {

class GatedHeads {
 public:
  GatedHeads(const SampleModel& model, float worst)
      : model_(model), worst_(worst), of_category_(model.num_categories()) {}

  int num_nodes() const { return num_nodes_; }
  // Adds the function of a node in one category; nodes are numbered as they come.
  void add(int node, int category, std::span<const float> weights);
  // The weights, or null where the node has none.
  const float* find(int node, int category) const;
  float shift(int node, int category) const;
  // The whole function of a node, as far as it is kept.
  std::vector<nn::GatedBank::Part> parts(int node) const;
  float worst() const { return worst_; }

  struct Best {
    int node = -1;
    float value = -HUGE_VALF;
  };
  Best best(const BeliefMoments& belief) const;

  // Returns that differ from what the function says without its shift by `difference` in all.
  void correct(int node, int category, float difference, int visits);
  void use(int node, uint64_t round);
  // In every category at most `wanted` functions: those of the first `fixed` nodes, and those that
  // were used last.
  void keep(size_t wanted, int fixed);

  template <class Archive>
  void archive(Archive& a) {
    a(num_nodes_, of_category_, last_used_);
  }

 private:
  struct Category {
    std::vector<int> node;  // ascending
    std::vector<float> rows, sum, visits, shift;
    template <class Archive>
    void archive(Archive& a) {
      a(node, rows, sum, visits, shift);
    }
    int place(int wanted) const;  // -1: it has none
  };

  const SampleModel& model_;
  float worst_;
  int num_nodes_ = 0;
  std::vector<Category> of_category_;
  std::vector<uint64_t> last_used_;  // per node
};

}  // namespace penumbra::nvi

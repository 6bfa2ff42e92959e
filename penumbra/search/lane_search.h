// Descents that carry one state each, in lockstep: pomcp and pomcpow differ in how a belief gets
// its actions and in the belief that a descent comes to.
#pragma once

#include "penumbra/search/uct_search.h"

namespace penumbra::search {

template <class BeliefData>
class LaneSearch : public UctSearch<BeliefData, EdgeVisits> {
  using Base = UctSearch<BeliefData, EdgeVisits>;

 public:
  LaneSearch(const Pomdp& model, const UctOptions& options, const Leaf& leaf, ThreadPool* pool)
      : Base(model, options, leaf, pool, kRootStates),
        lanes_(model, options.wave),
        action_(model.action_size(), options.wave),
        step_keys_(options.depth),
        belief_(options.wave),
        edge_(options.wave),
        descent_(options.wave),
        id_(options.wave) {}

 protected:
  // Sees to it that a belief has actions to choose from.
  virtual void offer_actions(int b, int depth, uint64_t id) = 0;
  // The belief that the lane comes to along the edge; it may exchange the lane's state for another
  // of that belief. `is_new`: nobody has been there.
  virtual int arrive(size_t lane, int e, int depth, uint64_t id, bool& is_new) = 0;

  void begun() override {
    for (size_t d = 0; d < step_keys_.size(); ++d) step_keys_[d] = this->key_.fold("step").fold(d);
  }

  StepBuffers lanes_;  // those that are still on their way, packed

 private:
  static constexpr size_t kRootStates = 32;
  static constexpr int kMaxEdges = 1 << 25;  // then the tree grows no more: about two gigabytes

  void descend(uint64_t first, size_t count) final {
    for (size_t i = 0; i < count; ++i) {
      Rng rng(this->key_.fold("root"), first + i);
      lanes_.next.copy_from(i, this->sampler_.draw(rng));
      id_[i] = first + i;
      belief_[i] = 0;
      descent_[i] = static_cast<int>(i);
    }
    const double constant = this->exploration_.constant();
    size_t live = count;
    for (int depth = 0; live > 0; ++depth) {
      for (size_t i = 0; i < live; ++i) {
        offer_actions(belief_[i], depth, id_[i]);
        edge_[i] = choose_edge(this->tree_, belief_[i], constant);
        action_.copy_from(i, this->tree_.action(edge_[i]));
      }
      step_lanes(this->model_, action_.sub(0, live), {step_keys_[depth], 0, id_.data()},
                 lanes_.results(live), this->pool_);
      this->steps_ += live;
      live = go_on(depth, live);
    }
  }

  // After a step: who has ended, who asks the leaf, and how many go on.
  size_t go_on(int depth, size_t live) {
    size_t kept = 0;
    for (size_t i = 0; i < live; ++i) {
      const int descent = descent_[i], e = edge_[i];
      if (lanes_.ended[i]) {
        this->descents_.add(descent, e, lanes_.reward[i]);
        continue;
      }
      bool is_new = false;
      const int b = arrive(i, e, depth, id_[i], is_new);
      this->descents_.add(descent, e, lanes_.reward[i]);
      const auto& belief = this->tree_.belief(b);
      const bool full = belief.num_edges == 0 && this->tree_.num_edges() >= kMaxEdges;
      if (is_new || full || depth + 1 == this->uct_.depth) {
        const int asked = this->leaves_.add(lanes_.next.at(i), belief.node, id_[i]);
        this->descents_.end_at(descent, b, asked, 1);
        continue;
      }
      if (kept < i) lanes_.next.copy_from(kept, lanes_.next.at(i));
      belief_[kept] = b;
      descent_[kept] = descent;
      id_[kept++] = id_[i];
    }
    return kept;
  }

  RecordBuffer action_;
  std::vector<RngKey> step_keys_;  // one per depth
  std::vector<int> belief_, edge_, descent_;
  std::vector<uint64_t> id_;
};

}  // namespace penumbra::search

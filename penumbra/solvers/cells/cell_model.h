// A table of cells in single precision and in the order in which a plan reads it: without the
// states that end an episode, and with what a known state is worth.
#pragma once

#include <span>
#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/model/tabular.h"

namespace penumbra::cells {

class CellModel {
 public:
  struct Entry {
    int index = 0;  // a cell, or an observation
    float chance = 0;
  };
  class Rows {
   public:
    std::span<const Entry> operator[](int row) const {
      return {entries_.data() + start_[row], start_[row + 1] - start_[row]};
    }
    void add(int index, double chance) { entries_.push_back({index, static_cast<float>(chance)}); }
    void end_row() { start_.push_back(entries_.size()); }

   private:
    std::vector<size_t> start_{0};
    std::vector<Entry> entries_;
  };

  CellModel(const Tabular& table, ThreadPool& pool);

  int num_cells() const { return static_cast<int>(start_.size()); }
  int num_actions() const { return static_cast<int>(transition_.size()); }
  int num_observations() const { return num_observations_; }
  float discount() const { return discount_; }
  const std::vector<float>& start() const { return start_; }
  const Rows& transition(int action) const { return transition_[action]; }
  const Rows& observation(int action) const {
    return observation_[observation_.size() == 1 ? 0 : action];
  }
  const std::vector<float>& reward(int action) const { return reward_[action]; }
  // Q of the MDP: what the action is worth if the state is known from then on.
  const std::vector<float>& q_mdp(int action) const { return q_mdp_[action]; }

  // reward + discount * transition * ahead, per cell.
  std::vector<float> back_up(int action, const std::vector<float>& ahead) const;
  // The value of repeating the action for ever.
  std::vector<float> repeated(int action) const;

 private:
  void solve_mdp(ThreadPool& pool);

  int num_observations_;
  float discount_;
  std::vector<float> start_;
  std::vector<Rows> transition_;
  std::vector<Rows> observation_;  // only one if all actions see alike
  std::vector<std::vector<float>> reward_, q_mdp_;
};

}  // namespace penumbra::cells

// Weighted lists of states with the reward on the way to them, many lists in one memory. A list
// that is full moves to the end, with twice the room.
#pragma once

#include <algorithm>
#include <vector>

#include "penumbra/base/rng.h"
#include "penumbra/model/records.h"

namespace penumbra::search {

struct StateList {
  size_t begin = 0;
  int count = 0, room = 0;
};

class WeightedStates {
 public:
  explicit WeightedStates(size_t state_size) : states_(state_size) {}

  void clear() {
    states_.clear();
    rewards_.clear();
    cumulative_.clear();
  }
  void add(StateList& list, const std::byte* state, float reward, double weight) {
    if (list.count == list.room) grow(list);
    const size_t at = list.begin + list.count;
    states_.copy_from(at, state);
    rewards_[at] = reward;
    cumulative_[at] = (list.count > 0 ? cumulative_[at - 1] : 0) + weight;
    ++list.count;
  }
  // The place of a draw by weight; all are equal where no weight is positive.
  size_t draw(const StateList& list, Rng& rng) const {
    const double* first = cumulative_.data() + list.begin;
    const double total = first[list.count - 1], share = rng.uniform();
    const auto last = static_cast<size_t>(list.count - 1);
    if (!(total > 0)) return list.begin + std::min<size_t>(share * list.count, last);
    const double* found = std::upper_bound(first, first + list.count, share * total);
    return list.begin + std::min<size_t>(found - first, last);
  }
  const std::byte* state(size_t at) const { return states_.at(at); }
  float reward(size_t at) const { return rewards_[at]; }

 private:
  void grow(StateList& list) {
    const int room = std::max(4, 2 * list.room);
    const size_t begin = rewards_.size();
    states_.resize(begin + room);
    rewards_.resize(begin + room);
    cumulative_.resize(begin + room);
    if (list.count > 0) {
      std::copy_n(states_.at(list.begin), list.count * states_.record_size(), states_.at(begin));
      std::copy_n(rewards_.begin() + list.begin, list.count, rewards_.begin() + begin);
      std::copy_n(cumulative_.begin() + list.begin, list.count, cumulative_.begin() + begin);
    }
    list.begin = begin;
    list.room = room;
  }

  RecordBuffer states_;
  std::vector<float> rewards_;
  std::vector<double> cumulative_;  // of the weights, within a list
};

}  // namespace penumbra::search

// How a network is told what happened last: the last action and what was seen after it. Finite
// ones are categories, with one more for "nothing yet" at the start of an episode, and so is their
// pair where there are not too many; continuous ones are dense values of about size one, all zero
// at the start.
#pragma once

#include <cstddef>
#include <vector>

#include "penumbra/base/features.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/nn/bytes.h"

namespace penumbra {

class HistoryCode {
 public:
  HistoryCode() = default;
  // Scales of continuous observations come from random walks.
  HistoryCode(const Pomdp& model, RngKey key);

  FeatureLayout layout() const;
  int num_blocks() const { return static_cast<int>(first_.size()); }
  int num_dense() const;
  int num_actions() const { return num_actions_; }
  int num_observations() const { return num_observations_; }
  int action_dimension() const { return static_cast<int>(action_middle_.size()); }
  int seen_dimension() const { return static_cast<int>(seen_middle_.size()); }

  // Rows of a first layer (blocks one after the other) and dense values.
  void start(int32_t* index, float* dense) const;
  void encode(const std::byte* action, const std::byte* seen, int32_t* index, float* dense) const;
  // An action record from what a head gave (nn/action_head.h), kept inside the box.
  void action_record(const float* action, std::byte* record) const;

  void write(nn::ByteWriter& out) const;
  static HistoryCode read(nn::ByteReader& in);

 private:
  void place_blocks();

  int num_actions_ = 0, num_observations_ = 0;  // 0: continuous
  std::vector<float> action_middle_, action_half_, seen_middle_, seen_half_;
  std::vector<int> first_, sizes_;  // of blocks
  bool has_pairs_ = false;
};

}  // namespace penumbra

// Which features of the state an agent always knows: those that are the same in all states that fit
// what was done and seen. A robot that counts its own steps knows its cell, not where the others
// are.
#pragma once

#include <vector>

#include "penumbra/model/pomdp.h"

namespace penumbra::habits {

// One of the model's categories or bits that is known, and not always the same.
struct CertainFeature {
  bool bit = false;
  int index = 0;  // of the block of categories, or of the bit
  int usual = 0;  // the value that it has most often

  int value(std::span<const int32_t> category, std::span<const uint32_t> bits) const {
    return bit ? static_cast<int>(bits[index >> 5] >> (index & 31) & 1) : category[index];
  }
};

// By walks of an agent that acts at random: of many initial states those are kept that answer as
// the first one does. Found by samples, so that a feature that differs only late may be among them:
// who relies on one has to be judged by simulation. Needs features and finite actions and
// observations; blocks come before bits, those with the most values first.
std::vector<CertainFeature> find_certain_features(const Pomdp& model, RngKey key);

}  // namespace penumbra::habits

// What no state exceeds: the largest reward for ever. An upper value that costs nothing.
#pragma once

#include <algorithm>

#include "penumbra/bounds/mdp_value.h"

namespace penumbra::search {

class LargestValue final : public MdpValue {
 public:
  explicit LargestValue(const Facts& facts)
      : value_(std::max(0.0, facts.max_reward) / (1 - facts.discount)) {}
  void value(ConstRecords, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), value_);
  }
  bool proven() const override { return true; }
  std::string source() const override { return "the largest reward for ever"; }

 private:
  double value_;
};

}  // namespace penumbra::search

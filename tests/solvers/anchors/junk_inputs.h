// A model without coordinates whose features have inputs that mean nothing beside its own: noise
// that is fixed per state.
#pragma once

#include <memory>
#include <vector>

#include "penumbra/model/decorated.h"

namespace penumbra {

class JunkInputs final : public Decorated {
 public:
  JunkInputs(std::unique_ptr<Pomdp> inner, int count) : Decorated(std::move(inner)), count_(count) {
    set_facts(this->inner().facts(), this->inner().capabilities().without(Capability::kCoordinates),
              this->inner().state_size(), this->inner().seen_size(), this->inner().action_size());
  }

  FeatureLayout features() const override {
    FeatureLayout layout = inner().features();
    layout.num_dense += count_;
    return layout;
  }
  void encode(ConstRecords state, FeatureBatch& out, int first_row) const override {
    FeatureBatch plain(inner().features(), static_cast<int>(state.count));
    inner().encode(state, plain, 0);
    for (size_t i = 0; i < state.count; ++i) {
      const FeatureRow from = plain.row(static_cast<int>(i));
      FeatureRow to = out.row(first_row + static_cast<int>(i));
      std::copy(from.category.begin(), from.category.end(), to.category.begin());
      std::copy(from.bits.begin(), from.bits.end(), to.bits.begin());
      std::copy(from.dense.begin(), from.dense.end(), to.dense.begin());
      Rng rng(RngKey{hash_record(state.at(i), state.size)}, 0);
      for (int k = 0; k < count_; ++k) to.dense[from.dense.size() + k] = rng.uniform_float();
    }
  }

 private:
  int count_;
};

}  // namespace penumbra

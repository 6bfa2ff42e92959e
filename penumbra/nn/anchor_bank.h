// A bank of functions that are known at anchors (anchors.h): f(s) = sum over the nearest anchors of
// K(s, x) f(x). Backups on a table of anchors make them; they can be fitted too. All values of an
// anchor lie side by side: a belief is valued for all functions at once.
#pragma once

#include <memory>
#include <vector>

#include "penumbra/nn/anchors.h"
#include "penumbra/nn/input_keys.h"
#include "penumbra/nn/value_bank.h"

namespace penumbra::nn {

class AnchorBank final : public ValueBank {
 public:
  // `elsewhere`: the value of states that no anchor agrees with in what is discrete.
  AnchorBank(InputKeys keys, Anchors anchors, float elsewhere);

  // The same anchors with these functions, each with a value per anchor.
  AnchorBank with(std::span<const std::span<const float>> functions) const;
  size_t num_anchors() const { return shared_->anchors.count(); }
  float elsewhere() const { return shared_->elsewhere; }

  const FeatureLayout& layout() const override { return shared_->keys.layout(); }
  int size() const override { return size_; }
  BankForm form() const override { return BankForm::kAnchors; }
  const std::vector<int>& hidden() const override { return hidden_; }  // none
  size_t num_weights() const override;
  void set_pool(FeatureBatch states, ThreadPool* pool) override;
  int pool_rows() const override { return pool_.rows(); }
  // The mean target of the rows near each anchor, and `elsewhere` where there are none.
  FittedFunction fit(const FitData& data, RngKey key, ThreadPool* pool) const override;
  void append(const FittedFunction& fitted) override;
  void keep(std::span<const int> indices) override;
  void predict(const FeatureBatch& states, std::span<float> out, ThreadPool* pool) const override;
  void predict_sums(const FeatureBatch& states, const Groups& groups, std::span<double> sums,
                    ThreadPool* pool) const override;
  void predict_rows(const FeatureBatch& states, std::span<const int32_t> which,
                    std::span<float> out, ThreadPool* pool) const override;
  Bytes save() const override;
  static AnchorBank read(ByteReader& in);

 private:
  struct Shared {
    InputKeys keys;
    Anchors anchors;
    float elsewhere;
  };
  InputRows encode(const FeatureBatch& states) const;
  std::vector<float> function(int f) const;

  std::shared_ptr<const Shared> shared_;  // by all copies
  int size_ = 0;
  std::vector<float> values_;  // [anchor][function]
  FeatureBatch pool_;
  std::vector<int> hidden_;
};

}  // namespace penumbra::nn

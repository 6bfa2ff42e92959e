// A bank of linear heads on a shared feature map: a fit takes milliseconds, a prediction of all
// heads is one product. Accurate only together with local rows; see docs/networks.md.
#pragma once

#include <optional>

#include "penumbra/nn/linear_heads.h"
#include "penumbra/nn/value_bank.h"

namespace penumbra::nn {

class HeadBank : public ValueBank {
 public:
  explicit HeadBank(FeatureMap map, const RidgeOptions& options = {});

  const FeatureMap& map() const { return map_; }
  const LinearHeads& heads() const { return heads_; }
  void add_head(std::span<const float> head) { heads_.add(head); }  // fitted elsewhere

  const FeatureLayout& layout() const override { return map_.layout(); }
  int size() const override { return heads_.size(); }
  BankForm form() const override { return BankForm::kHeads; }
  const std::vector<int>& hidden() const override { return map_.trunk().shape().hidden; }
  size_t num_weights() const override;
  void set_pool(FeatureBatch states, ThreadPool* pool) override;
  int pool_rows() const override { return shared_ ? shared_->rows() : 0; }
  FittedFunction fit(const FitData& data, RngKey key, ThreadPool* pool) const override;
  void append(const FittedFunction& fitted) override;
  void keep(std::span<const int> indices) override { heads_.keep(indices); }
  void predict(const FeatureBatch& states, std::span<float> out, ThreadPool* pool) const override;
  void predict_sums(const FeatureBatch& states, const Groups& groups, std::span<double> sums,
                    ThreadPool* pool) const override;
  void predict_rows(const FeatureBatch& states, std::span<const int32_t> which,
                    std::span<float> out, ThreadPool* pool) const override;
  Bytes save() const override;

 private:
  FeatureMap map_;
  RidgeOptions options_;
  LinearHeads heads_;
  // The pool's features, Gram matrix and factor; only there once a pool is set, for a bank that was
  // loaded to be read needs no room for them.
  std::optional<Ridge> shared_;
};

}  // namespace penumbra::nn

// A bank with a network of its own per function, as in the paper.
#pragma once

#include "penumbra/nn/network_set.h"
#include "penumbra/nn/value_bank.h"

namespace penumbra::nn {

class NetworkBank : public ValueBank {
 public:
  NetworkBank(MlpShape shape, FitOptions options);
  NetworkBank(NetworkSet set, FitOptions options);

  const NetworkSet& networks() const { return set_; }
  void add_network(Mlp network) { set_.add(std::move(network)); }  // fitted elsewhere

  const FeatureLayout& layout() const override { return set_.shape().input; }
  int size() const override { return set_.size(); }
  BankForm form() const override { return BankForm::kNetworks; }
  const std::vector<int>& hidden() const override { return set_.shape().hidden; }
  size_t num_weights() const override { return size() * set_.num_plain(); }
  void set_pool(FeatureBatch states, ThreadPool* pool) override;
  int pool_rows() const override { return pool_states_.rows(); }
  FittedFunction fit(const FitData& data, RngKey key, ThreadPool* pool) const override;
  void append(const FittedFunction& fitted) override;
  void keep(std::span<const int> indices) override { set_.keep(indices); }
  void predict(const FeatureBatch& states, std::span<float> out, ThreadPool* pool) const override;
  void predict_sums(const FeatureBatch& states, const Groups& groups, std::span<double> sums,
                    ThreadPool* pool) const override;
  void predict_rows(const FeatureBatch& states, std::span<const int32_t> which,
                    std::span<float> out, ThreadPool* pool) const override;
  Bytes save() const override;

 private:
  NetworkSet set_;
  FitOptions options_;
  FeatureBatch pool_states_;
};

}  // namespace penumbra::nn

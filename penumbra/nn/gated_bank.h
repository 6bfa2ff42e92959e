// A bank of functions that are linear within a category: f(s) = w[c(s)] . u(s) (gate.h). A function
// has weights for some categories only; elsewhere it is worth `elsewhere`, the least that can be.
// All weights of a category lie side by side: a belief within one category is valued by one
// product.
#pragma once

#include <map>
#include <vector>

#include "penumbra/nn/gate.h"
#include "penumbra/nn/value_bank.h"

namespace penumbra::nn {

class GatedBank final : public ValueBank {
 public:
  struct Part {  // of one function
    int64_t category;
    std::vector<float> weights;
  };

  GatedBank(const FeatureLayout& layout, float elsewhere) : gate_(layout), elsewhere_(elsewhere) {}

  // A function that was fitted elsewhere.
  void add_function(std::span<const Part> parts);
  std::vector<Part> parts(int function) const;
  const Gate& gate() const { return gate_; }
  float elsewhere() const { return elsewhere_; }

  const FeatureLayout& layout() const override { return gate_.layout(); }
  int size() const override { return size_; }
  BankForm form() const override { return BankForm::kGated; }
  const std::vector<int>& hidden() const override { return hidden_; }  // none
  size_t num_weights() const override;
  void set_pool(FeatureBatch states, ThreadPool* pool) override;
  int pool_rows() const override { return pool_.rows(); }
  // One ridge regression in every category that has rows.
  FittedFunction fit(const FitData& data, RngKey key, ThreadPool* pool) const override;
  void append(const FittedFunction& fitted) override;
  void keep(std::span<const int> indices) override;
  void predict(const FeatureBatch& states, std::span<float> out, ThreadPool* pool) const override;
  void predict_sums(const FeatureBatch& states, const Groups& groups, std::span<double> sums,
                    ThreadPool* pool) const override;
  void predict_rows(const FeatureBatch& states, std::span<const int32_t> which,
                    std::span<float> out, ThreadPool* pool) const override;
  Bytes save() const override;
  static GatedBank read(ByteReader& in);

 private:
  struct Category {
    std::vector<int> function;  // ascending
    std::vector<float> rows;    // [function][width]
  };
  const Category* find(int64_t category) const;

  Gate gate_;
  float elsewhere_;
  int size_ = 0;
  std::map<int64_t, Category> categories_;
  FeatureBatch pool_;
  std::vector<int> hidden_;
};

}  // namespace penumbra::nn

// Many value functions of a state (alpha-networks), fitted one by one and evaluated all at once:
// the one interface over a network of its own per function (NetworkBank), linear heads on shared
// features (HeadBank), functions linear within a category (GatedBank) and functions known at
// sampled states (AnchorBank), so that a solver chooses by an option or by the model's features.
//
//   auto bank = make_bank(layout, {.form = BankForm::kHeads}, key);
//   bank->set_pool(pool_states);                      // optional: states that every fit shares
//   FitReport report = bank->add(data, key.fold(n), &threads);
//   if (report.good()) ...                            // it is number bank->size() - 1
//
// Prediction and fits are const and may be called from several threads; add, append, keep and
// set_pool may not run beside anything else. Results do not depend on the number of threads.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "penumbra/base/features.h"
#include "penumbra/base/rng.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/nn/bytes.h"
#include "penumbra/nn/fit.h"
#include "penumbra/nn/groups.h"
#include "penumbra/nn/ridge.h"

namespace penumbra::nn {

// What one function is fitted to: targets on the bank's pool, rows of its own, or both.
struct FitData {
  std::span<const float> pool_targets = {};  // one per pool state; empty: the pool is left out
  double pool_weight = 1;                    // of each pool state beside a local row of weight 1
  const FeatureBatch* local = nullptr;       // e.g. particles of the belief that is backed up
  std::span<const float> local_targets = {};
  std::span<const float> local_weights = {};  // empty: all 1
  int warm_start = -1;  // start from this function, where a fit is iterative; -1: afresh
  Stop stop = {};       // an iterative fit that it ends is not appended: FitStatus::kStopped
};

// A function that has been fitted: its weights, in a form that its bank reads. None unless the
// report is good and the fit was not stopped.
struct FittedFunction {
  FitReport report;
  Bytes weights;

  template <class Archive>
  void archive(Archive& a) {
    a(report, weights);
  }
};

enum class BankForm { kHeads, kNetworks, kGated, kAnchors };
const char* name(BankForm form);
BankForm bank_form(std::string_view name);  // one that can be made afresh; throws Error

class ValueBank {
 public:
  virtual ~ValueBank() = default;

  virtual const FeatureLayout& layout() const = 0;
  virtual int size() const = 0;
  virtual BankForm form() const = 0;
  // Units of the hidden layers, first to last: of every network, or of the one below all heads.
  virtual const std::vector<int>& hidden() const = 0;
  virtual size_t num_weights() const = 0;  // of all functions; what they share counts once
  // States that later fits may share. Replaces the former pool.
  virtual void set_pool(FeatureBatch states, ThreadPool* pool = nullptr) = 0;
  virtual int pool_rows() const = 0;
  // Fits one more function and appends it if the report is good and the fit was not stopped;
  // otherwise the bank is unchanged.
  FitReport add(const FitData& data, RngKey key, ThreadPool* pool = nullptr);
  // The two halves of that. Fits are const and may run beside each other.
  virtual FittedFunction fit(const FitData& data, RngKey key, ThreadPool* pool = nullptr) const = 0;
  virtual void append(const FittedFunction& fitted) = 0;
  // Keeps these functions, in this order.
  virtual void keep(std::span<const int> indices) = 0;

  // out[state * size() + function].
  virtual void predict(const FeatureBatch& states, std::span<float> out,
                       ThreadPool* pool = nullptr) const = 0;
  // sums[group * size() + function], without storing states x functions.
  virtual void predict_sums(const FeatureBatch& states, const Groups& groups,
                            std::span<double> sums, ThreadPool* pool = nullptr) const = 0;
  // out[state] of the function which[state].
  virtual void predict_rows(const FeatureBatch& states, std::span<const int32_t> which,
                            std::span<float> out, ThreadPool* pool = nullptr) const = 0;

  // Everything but the pool.
  virtual Bytes save() const = 0;

 protected:
  void check_data(const FitData& data) const;  // throws Error
};

struct BankOptions {
  BankForm form = BankForm::kHeads;
  int features = 256;                       // heads: width of the random feature map
  RidgeOptions ridge = {};                  // heads
  std::vector<int> hidden = {128, 64, 64};  // networks
  FitOptions fit = {};                      // networks
  float elsewhere = 0;                      // gated: the value where a function has no weights
};

// Heads get random features; for a trained trunk make a HeadBank of it. Anchors are sampled by
// whoever has a model: an AnchorBank is made of them.
std::unique_ptr<ValueBank> make_bank(const FeatureLayout& layout, const BankOptions& options,
                                     RngKey key);
// Of any form. Fits go on with the options given. Throws Error for bytes that are not a bank, or
// have a weight that is not a number.
std::unique_ptr<ValueBank> load_bank(std::span<const std::byte> bytes, const BankOptions& options);

}  // namespace penumbra::nn

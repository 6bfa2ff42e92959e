#include "penumbra/nn/value_bank.h"

#include <cmath>
#include <string>

#include "penumbra/base/error.h"
#include "penumbra/nn/anchor_bank.h"
#include "penumbra/nn/bank_format.h"
#include "penumbra/nn/gated_bank.h"
#include "penumbra/nn/head_bank.h"
#include "penumbra/nn/network_bank.h"

namespace penumbra::nn {
namespace {

void check_finite(std::span<const float> weights) {
  for (float w : weights)
    if (!std::isfinite(w)) throw Error("saved bank: a weight is not a number; save it again");
}

}  // namespace

void ValueBank::check_data(const FitData& data) const {
  const size_t local = data.local ? data.local->rows() : 0;
  if (!data.pool_targets.empty() && data.pool_targets.size() != size_t(pool_rows())) {
    throw Error("bank: " + std::to_string(data.pool_targets.size()) + " pool targets for " +
                std::to_string(pool_rows()) + " pool states; call set_pool first");
  }
  if (data.local_targets.size() != local ||
      (!data.local_weights.empty() && data.local_weights.size() != local)) {
    throw Error("bank: local targets and weights need one entry for each of the " +
                std::to_string(local) + " local rows");
  }
  if (local == 0 && data.pool_targets.empty()) {
    throw Error("bank: nothing to fit; give pool targets, local rows or both");
  }
  if (!(data.pool_weight > 0)) throw Error("bank: pool_weight must be positive");
  if (data.warm_start >= size()) {
    throw Error("bank: no function " + std::to_string(data.warm_start) + " to start from");
  }
}

FitReport ValueBank::add(const FitData& data, RngKey key, ThreadPool* pool) {
  const FittedFunction fitted = fit(data, key, pool);
  if (!fitted.weights.empty()) append(fitted);
  return fitted.report;
}

const char* name(BankForm form) {
  switch (form) {
    case BankForm::kHeads:
      return "heads";
    case BankForm::kNetworks:
      return "networks";
    case BankForm::kGated:
      return "gated";
    case BankForm::kAnchors:
      return "anchors";
  }
  return "unknown";
}

BankForm bank_form(std::string_view text) {
  for (BankForm form : {BankForm::kHeads, BankForm::kNetworks, BankForm::kGated})
    if (text == name(form)) return form;
  throw Error("no form '" + std::string(text) +
              "' of value functions; known are heads, networks, gated");
}

std::unique_ptr<ValueBank> make_bank(const FeatureLayout& layout, const BankOptions& options,
                                     RngKey key) {
  if (options.form == BankForm::kHeads) {
    return std::make_unique<HeadBank>(
        FeatureMap::random(layout, options.features, key.fold("features")), options.ridge);
  }
  if (options.form == BankForm::kGated)
    return std::make_unique<GatedBank>(layout, options.elsewhere);
  return std::make_unique<NetworkBank>(MlpShape{layout, options.hidden, 1}, options.fit);
}

std::unique_ptr<ValueBank> load_bank(std::span<const std::byte> bytes, const BankOptions& options) {
  ByteReader in = open_sealed(bytes, Kind::kBank, kBankVersion);
  const uint32_t form = in.u32();
  std::unique_ptr<ValueBank> bank;
  if (form == kHeadBank) {
    auto heads = std::make_unique<HeadBank>(FeatureMap::read(in), options.ridge);
    const LinearHeads read = LinearHeads::read(in);
    if (read.width() != heads->map().width()) {
      throw Error("saved bank: its heads do not fit its features; save it again");
    }
    check_finite(heads->map().trunk().packed());
    for (int i = 0; i < read.size(); ++i) {
      check_finite(read.head(i));
      heads->add_head(read.head(i));
    }
    bank = std::move(heads);
  } else if (form == kNetworkBank) {
    auto networks = std::make_unique<NetworkBank>(NetworkSet::read(in), options.fit);
    for (int i = 0; i < networks->size(); ++i) check_finite(networks->networks()[i].packed());
    bank = std::move(networks);
  } else if (form == kGatedBank) {
    bank = std::make_unique<GatedBank>(GatedBank::read(in));
  } else if (form == kAnchorBank) {
    bank = std::make_unique<AnchorBank>(AnchorBank::read(in));
  } else {
    throw Error("saved bank: form " + std::to_string(form) + " is not known here");
  }
  in.finish();
  return bank;
}

}  // namespace penumbra::nn

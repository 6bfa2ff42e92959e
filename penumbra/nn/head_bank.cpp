#include "penumbra/nn/head_bank.h"

#include "penumbra/nn/bank_format.h"

namespace penumbra::nn {

HeadBank::HeadBank(FeatureMap map, const RidgeOptions& options)
    : map_(std::move(map)), options_(options), heads_(map_.width()) {}

size_t HeadBank::num_weights() const {
  const size_t unused = map_.width();  // the output below the shared units
  return map_.trunk().layout().num_plain() - unused + size_t(size()) * map_.width();
}

void HeadBank::set_pool(FeatureBatch states, ThreadPool* pool) {
  shared_.emplace(map_.compute(states, pool), std::span<const float>(), options_, pool);
}

FittedFunction HeadBank::fit(const FitData& data, RngKey, ThreadPool* pool) const {
  check_data(data);
  std::optional<Ridge> without;
  if (!shared_) without.emplace(FeatureMatrix(0, map_.width()), std::span<const float>(), options_);
  const Ridge& shared = shared_ ? *shared_ : *without;
  HeadFit fitted;
  if (!data.local || data.local->rows() == 0) {
    fitted = shared.fit(data.pool_targets);
  } else {
    const FeatureMatrix features = map_.compute(*data.local, pool);
    fitted = shared.fit(data.pool_targets, data.pool_weight,
                        {&features, data.local_targets, data.local_weights}, pool);
  }
  ByteWriter out;
  if (fitted.report.good()) out.floats(fitted.head);
  return {fitted.report, out.bytes()};
}

void HeadBank::append(const FittedFunction& fitted) {
  ByteReader in(fitted.weights);
  heads_.add(in.floats());
  in.finish();
}

void HeadBank::predict(const FeatureBatch& states, std::span<float> out, ThreadPool* pool) const {
  nn::predict(map_, heads_, states, out, pool);
}

void HeadBank::predict_sums(const FeatureBatch& states, const Groups& groups,
                            std::span<double> sums, ThreadPool* pool) const {
  nn::predict_sums(map_, heads_, states, groups, sums, pool);
}

void HeadBank::predict_rows(const FeatureBatch& states, std::span<const int32_t> which,
                            std::span<float> out, ThreadPool* pool) const {
  nn::predict_rows(map_, heads_, states, which, out, pool);
}

Bytes HeadBank::save() const {
  ByteWriter out;
  out.u32(kHeadBank);
  map_.write(out);
  heads_.write(out);
  return seal(Kind::kBank, kBankVersion, out);
}

}  // namespace penumbra::nn

#include "penumbra/nn/network_bank.h"

#include <algorithm>

#include "penumbra/base/error.h"
#include "penumbra/nn/bank_format.h"

namespace penumbra::nn {
namespace {

void copy_rows(FeatureBatch& to, int at, const FeatureBatch& from) {
  const size_t c = from.layout().categories.size(), w = from.layout().words();
  const size_t d = from.layout().num_dense;
  for (int i = 0; i < from.rows(); ++i) {
    FeatureRow row = to.row(at + i);
    std::copy_n(from.category().data() + i * c, c, row.category.data());
    std::copy_n(from.bits().data() + i * w, w, row.bits.data());
    std::copy_n(from.dense().data() + i * d, d, row.dense.data());
  }
}

}  // namespace

NetworkBank::NetworkBank(MlpShape shape, FitOptions options)
    : NetworkBank(NetworkSet(std::move(shape)), std::move(options)) {}

NetworkBank::NetworkBank(NetworkSet set, FitOptions options)
    : set_(std::move(set)), options_(std::move(options)), pool_states_(set_.shape().input) {}

void NetworkBank::set_pool(FeatureBatch states, ThreadPool*) {
  if (states.layout() != layout()) throw Error("bank: the pool has another feature layout");
  pool_states_ = std::move(states);
}

FittedFunction NetworkBank::fit(const FitData& data, RngKey key, ThreadPool* pool) const {
  check_data(data);
  const bool local = data.local && data.local->rows() > 0;
  const int pool_rows = data.pool_targets.empty() ? 0 : pool_states_.rows();
  const int local_rows = local ? data.local->rows() : 0;
  FeatureBatch states(layout(), pool_rows + local_rows);
  if (pool_rows > 0) copy_rows(states, 0, pool_states_);
  if (local) copy_rows(states, pool_rows, *data.local);
  std::vector<float> targets(data.pool_targets.begin(), data.pool_targets.end());
  targets.insert(targets.end(), data.local_targets.begin(), data.local_targets.end());
  std::vector<float> weights(pool_rows, static_cast<float>(data.pool_weight));
  weights.insert(weights.end(), data.local_weights.begin(), data.local_weights.end());
  weights.resize(states.rows(), 1.0f);

  const Mlp* start = data.warm_start >= 0 ? &set_[data.warm_start] : nullptr;
  FitOptions options = options_;
  if (data.stop) options.stop = data.stop;
  FitResult fitted =
      nn::fit(set_.shape(), {&states, targets, weights, {}}, options, key, pool, start);
  ByteWriter out;
  if (fitted.report.status != FitStatus::kStopped && fitted.network)
    out.floats(fitted.network->packed());
  return {fitted.report, out.bytes()};
}

void NetworkBank::append(const FittedFunction& fitted) {
  ByteReader in(fitted.weights);
  const std::vector<float> values = in.floats();
  in.finish();
  Mlp network(set_.shape());
  if (values.size() != network.packed().size())
    throw Error("bank: a fitted network has another number of weights");
  std::copy(values.begin(), values.end(), network.packed().begin());
  set_.add(std::move(network));
}

void NetworkBank::predict(const FeatureBatch& states, std::span<float> out,
                          ThreadPool* pool) const {
  set_.predict(states, out, Order::kStateMajor, pool);
}

void NetworkBank::predict_sums(const FeatureBatch& states, const Groups& groups,
                               std::span<double> sums, ThreadPool* pool) const {
  set_.predict_sums(states, groups, sums, pool);
}

void NetworkBank::predict_rows(const FeatureBatch& states, std::span<const int32_t> which,
                               std::span<float> out, ThreadPool* pool) const {
  set_.predict_rows(states, which, out, pool);
}

Bytes NetworkBank::save() const {
  ByteWriter out;
  out.u32(kNetworkBank);
  set_.write(out);
  return seal(Kind::kBank, kBankVersion, out);
}

}  // namespace penumbra::nn

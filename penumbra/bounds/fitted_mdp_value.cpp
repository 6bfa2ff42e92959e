#include "penumbra/bounds/fitted_mdp_value.h"

#include <algorithm>

#include "penumbra/bounds/mdp_fitter.h"

namespace penumbra {

FittedMdpValue::FittedMdpValue(const Pomdp& model, const MdpValueOptions& options, RngKey key,
                               ThreadPool& pool)
    : model_(model) {
  require(model, Capability::kFiniteActions, "mdp source 'fitted'");
  MdpFitter fitter(model, options, key, pool);
  graph_ = fitter.solve_whole();
  if (graph_ && !model.has(Capability::kFeatures)) return;
  require(model, Capability::kFeatures, "mdp source 'fitted'");
  network_ = graph_ ? fitter.fit_to(*graph_) : fitter.fit_by_search();
}

FittedMdpValue::~FittedMdpValue() = default;

void FittedMdpValue::predict(ConstRecords state, std::span<double> out) const {
  constexpr size_t kBlock = 1024;
  float values[kBlock];
  uint8_t ended[kBlock];
  FeatureBatch features(model_.features());
  for (size_t begin = 0; begin < state.count; begin += kBlock) {
    const size_t n = std::min(kBlock, state.count - begin);
    const ConstRecords block = state.sub(begin, n);
    model_.is_terminal(block, {ended, n});
    if (network_) {
      features.resize(static_cast<int>(n));
      model_.encode(block, features);
      network_->predict(features, {values, n});
    } else {
      std::fill_n(values, n, 0.0f);
    }
    for (size_t i = 0; i < n; ++i) out[begin + i] = ended[i] ? 0.0 : values[i];
  }
}

void FittedMdpValue::value(ConstRecords state, std::span<double> out) const {
  if (!graph_) return predict(state, out);
  for (size_t i = 0; i < state.count; ++i) {
    const int32_t found = graph_->find(state.at(i));
    if (found >= 0)
      out[i] = graph_->values()[found];
    else
      predict(state.sub(i, 1), out.subspan(i, 1));
  }
}

}  // namespace penumbra

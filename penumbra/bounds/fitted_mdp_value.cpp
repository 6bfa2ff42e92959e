#include "penumbra/bounds/fitted_mdp_value.h"

#include <algorithm>
#include <vector>

#include "penumbra/bounds/mdp_fitter.h"

namespace penumbra {

NetworkMdpValue::NetworkMdpValue(const Pomdp& model, nn::Mlp network)
    : model_(model), layout_(model.features()), network_(std::move(network)) {}

void NetworkMdpValue::value(ConstRecords state, std::span<double> out) const {
  constexpr size_t kBlock = 1024;
  float values[kBlock];
  uint8_t ended[kBlock];
  FeatureBatch features(layout_);
  for (size_t begin = 0; begin < state.count; begin += kBlock) {
    const size_t n = std::min(kBlock, state.count - begin);
    const ConstRecords block = state.sub(begin, n);
    model_.is_terminal(block, {ended, n});
    features.resize(static_cast<int>(n));
    model_.encode(block, features);
    network_.predict(features, {values, n});
    for (size_t i = 0; i < n; ++i) out[begin + i] = ended[i] ? 0.0 : values[i];
  }
}

ConstantMdpValue::ConstantMdpValue(const Pomdp& model)
    : model_(model),
      most_(std::max(0.0, model.facts().max_reward) / (1 - model.facts().discount)) {}

void ConstantMdpValue::value(ConstRecords state, std::span<double> out) const {
  std::vector<uint8_t> ended(state.count);
  model_.is_terminal(state, ended);
  for (size_t i = 0; i < state.count; ++i) out[i] = ended[i] ? 0 : most_;
}

void GraphMdpValue::value(ConstRecords state, std::span<double> out) const {
  for (size_t i = 0; i < state.count; ++i) {
    const int32_t found = graph_->find(state.at(i));
    if (found >= 0)
      out[i] = graph_->values()[found];
    else if (rest_)
      rest_->value(state.sub(i, 1), out.subspan(i, 1));
    else
      out[i] = 0;
  }
}

std::unique_ptr<MdpValue> fit_mdp_value(const Pomdp& model, const MdpValueOptions& options,
                                        RngKey key, ThreadPool& pool, const Stop& stop) {
  require(model, Capability::kFiniteActions, "mdp source 'fitted'");
  MdpFitter fitter(model, options, key, pool, stop);
  if (std::unique_ptr<StateGraph> graph = fitter.solve_whole()) {
    std::unique_ptr<MdpValue> rest;
    if (model.has(Capability::kFeatures)) rest = fitter.fit_to(*graph);
    return std::make_unique<GraphMdpValue>(std::move(graph), std::move(rest));
  }
  // Nothing to fit it to: the most that any state can be worth, which solvers can live with.
  if (asked_to_stop(stop) || (options.source == "auto" && !model.has(Capability::kFeatures)))
    return std::make_unique<ConstantMdpValue>(model);
  require(model, Capability::kFeatures, "mdp source 'fitted'");
  return fitter.fit_by_search();
}

}  // namespace penumbra

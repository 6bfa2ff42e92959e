// The plain forms of the kernels and of a whole network, in double, without packing, tiles or
// threads. Slow on purpose: everything fast is tested against them.
#pragma once

#include <span>
#include <vector>

#include "penumbra/base/features.h"
#include "penumbra/nn/kernels.h"
#include "penumbra/nn/loss.h"
#include "penumbra/nn/shape.h"

namespace penumbra::nn::reference {

// The same arguments and the same effect as the kernels of these names. Sums are in double.
void gemm(const Gemm<float>& g);
void gemm(const Gemm<double>& g);
void gather(const Gather& g);
void scatter(const Scatter& s);
void adam(const Adam& a);

// A network of plain parameters (Mlp::plain) on expanded rows.
class Network {
 public:
  Network(MlpShape shape, std::span<const float> parameters)
      : shape_(std::move(shape)), parameters_(parameters.begin(), parameters.end()) {}

  std::vector<double>& parameters() { return parameters_; }
  // outputs of row i of the batch.
  std::vector<double> predict(const FeatureBatch& batch, int row) const;
  // The mean over rows of weight * sum over outputs of the loss; adds its gradient if asked.
  // Targets, weights and heads as in Samples.
  double loss(const FeatureBatch& batch, std::span<const float> targets,
              std::span<const float> weights, std::span<const int32_t> heads, const Loss& loss,
              std::vector<double>* gradient = nullptr) const;

 private:
  std::vector<int> widths() const;
  std::vector<std::vector<double>> activations(const FeatureBatch& batch, int row) const;
  void backward(const std::vector<std::vector<double>>& h, std::vector<double> delta,
                std::vector<double>& gradient) const;

  MlpShape shape_;
  std::vector<double> parameters_;
};

}  // namespace penumbra::nn::reference

#include "penumbra/nn/reference.h"

#include <cmath>

namespace penumbra::nn::reference {
namespace {

template <class T>
void plain_gemm(const Gemm<T>& g) {
  constexpr int width = kLineBytes / sizeof(T);
  for (int i = 0; i < g.rows; ++i) {
    for (int j = 0; j < g.panels * width; ++j) {
      const int p = j / width, n = j % width;
      const size_t at = i * g.c_row + p * g.c_panel + n;
      double sum = g.accumulate ? g.c[at] : g.bias ? g.bias[j] : 0.0;
      for (int k = 0; k < g.inner; ++k) {
        sum += double(g.a[i * g.a_row + k * g.a_inner]) * g.b[p * g.b_panel + k * g.b_inner + n];
      }
      if (g.relu && !g.mask && sum < 0) sum = 0;
      if (g.mask && !(g.mask[i * g.mask_row + p * g.mask_panel + n] > 0)) sum = 0;
      g.c[at] = static_cast<T>(sum);
    }
  }
}

}  // namespace

void gemm(const Gemm<float>& g) {
  plain_gemm(g);
}
void gemm(const Gemm<double>& g) {
  plain_gemm(g);
}

void gather(const Gather& g) {
  const int sources = g.num_table + g.num_lut;
  for (int r = 0; r < g.rows; ++r) {
    for (int c = 0; c < g.panels * kPanel; ++c) {
      const size_t p = c / kPanel, n = c % kPanel;
      double sum = g.bias[c];
      for (int s = 0; s < sources; ++s) {
        const float* from = s < g.num_table ? g.table + p * g.table_panel : g.lut + p * g.lut_panel;
        sum += from[size_t(g.index[r * sources + s]) * kPanel + n];
      }
      g.out[r * g.out_row + c] = static_cast<float>(g.relu && sum < 0 ? 0 : sum);
    }
  }
}

void scatter(const Scatter& s) {
  const int sources = s.num_table + s.num_lut;
  for (int p = 0; p < s.panels; ++p) {
    for (int r = 0; r < s.rows; ++r) {
      for (int i = 0; i < sources; ++i) {
        float* to = i < s.num_table ? s.table + p * s.table_panel : s.lut + p * s.lut_panel;
        to += size_t(s.index[r * sources + i]) * kPanel;
        const float* from = s.values + p * s.values_panel + size_t(r) * kPanel;
        for (int c = 0; c < kPanel; ++c) to[c] += from[c];
      }
    }
  }
}

void adam(const Adam& a) {
  for (int r = 0; r < a.rows; ++r) {
    for (int c = 0; c < a.columns; ++c) {
      double g = 0;
      for (int i = 0; i < a.num_gradients; ++i) {
        g += a.gradient[r * a.gradient_row + i * a.gradient_step + c];
      }
      g *= a.scale;
      const size_t at = r * a.row + c;
      const double m = a.beta1 * double(a.mean[at]) + (1 - double(a.beta1)) * g;
      const double v = a.beta2 * double(a.square[at]) + (1 - double(a.beta2)) * g * g;
      a.mean[at] = float(m);
      a.square[at] = float(v);
      a.weight[at] = float(a.weight[at] - a.rate * m / (std::sqrt(v) + a.epsilon));
    }
  }
}

std::vector<int> Network::widths() const {
  std::vector<int> all = {shape_.input.width()};
  all.insert(all.end(), shape_.hidden.begin(), shape_.hidden.end());
  all.push_back(shape_.outputs);
  return all;
}

std::vector<std::vector<double>> Network::activations(const FeatureBatch& batch, int row) const {
  std::vector<float> x(batch.layout().width());
  batch.expand(row, x);
  const std::vector<int> width = widths();
  std::vector<std::vector<double>> h = {{x.begin(), x.end()}};
  const double* w = parameters_.data();
  for (size_t l = 0; l + 1 < width.size(); ++l) {
    const int in = width[l], out = width[l + 1];
    std::vector<double> y(w + size_t(in) * out, w + size_t(in + 1) * out);
    for (int k = 0; k < in; ++k) {
      for (int n = 0; n < out; ++n) y[n] += h[l][k] * w[size_t(k) * out + n];
    }
    if (l + 2 < width.size()) {
      for (double& v : y) v = v > 0 ? v : 0;
    }
    w += size_t(in + 1) * out;
    h.push_back(std::move(y));
  }
  return h;
}

std::vector<double> Network::predict(const FeatureBatch& batch, int row) const {
  return activations(batch, row).back();
}

void Network::backward(const std::vector<std::vector<double>>& h, std::vector<double> delta,
                       std::vector<double>& gradient) const {
  const std::vector<int> width = widths();
  size_t end = parameters_.size();
  for (int l = int(width.size()) - 2; l >= 0; --l) {
    const int in = width[l], out = width[l + 1];
    const size_t first = end - size_t(in + 1) * out;
    std::vector<double> previous(in);
    for (int n = 0; n < out; ++n) gradient[first + size_t(in) * out + n] += delta[n];
    for (int k = 0; k < in; ++k) {
      for (int n = 0; n < out; ++n) {
        const size_t at = first + size_t(k) * out + n;
        gradient[at] += h[l][k] * delta[n];
        previous[k] += parameters_[at] * delta[n];
      }
      if (!(h[l][k] > 0)) previous[k] = 0;
    }
    delta = std::move(previous);
    end = first;
  }
}

double Network::loss(const FeatureBatch& batch, std::span<const float> targets,
                     std::span<const float> weights, std::span<const int32_t> heads,
                     const Loss& loss, std::vector<double>* gradient) const {
  double total = 0;
  for (int r = 0; r < batch.rows(); ++r) {
    const auto h = activations(batch, r);
    const double weight = (weights.empty() ? 1.0 : weights[r]) / batch.rows();
    std::vector<double> delta(shape_.outputs);
    for (int o = 0; o < shape_.outputs; ++o) {
      if (!heads.empty() && heads[r] != o) continue;
      const float target = targets[heads.empty() ? size_t(r) * shape_.outputs + o : r];
      const double e = h.back()[o] - target;
      total += weight * loss.value(e);
      delta[o] = weight * loss.slope(e);
    }
    if (gradient) backward(h, std::move(delta), *gradient);
  }
  return total;
}

}  // namespace penumbra::nn::reference

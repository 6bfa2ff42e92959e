// A network whose matrix products are those of another library.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "bench/peer_products.h"
#include "penumbra/base/rng.h"
#include "penumbra/nn/kernels.h"
#include "penumbra/nn/parameter_layout.h"

namespace penumbra::nn {

// The same network on a peer's products: our gather, scatter and Adam, its matrix products, and
// plain loops for biases and ReLU. Weights are random; only the work matters.
class PeerNetwork {
 public:
  static constexpr int kTile = 128;

  PeerNetwork(const MlpShape& shape, Products& products)
      : layout_(shape), products_(products), widths_(shape.hidden) {
    const size_t inputs = layout_.table_rows + layout_.lut_rows + layout_.num_dense;
    weights_.push_back(random(inputs * widths_[0]));
    for (size_t l = 1; l < widths_.size(); ++l) {
      weights_.push_back(random(size_t(widths_[l - 1]) * widths_[l]));
      flipped_.push_back(weights_.back());
    }
    weights_.push_back(random(widths_.back()));
    for (auto& w : weights_) {
      gradients_.emplace_back(w.size());
      means_.emplace_back(w.size());
      squares_.emplace_back(w.size());
    }
    for (int w : widths_) {
      bias_.push_back(random(w));
      stride_.push_back(row_stride(w));
      h_.emplace_back(size_t(kTile) * stride_.back());
    }
    out_.resize(kTile);
  }

  // With `states` the first layer adds a row per category and per set bit, as one would without
  // look-up tables.
  void forward(const Inputs& inputs, int begin, int rows, const FeatureBatch* states = nullptr) {
    if (states) {
      add_plain_rows(*states, begin, rows);
    } else if (layout_.num_sources() > 0) {
      Gather g;
      static_cast<Sources&>(g) = sources(inputs, begin);
      g.rows = rows, g.panels = widths_[0] / kPanel, g.table = weights_[0].data();
      g.table_panel = size_t(layout_.table_rows) * kPanel;
      g.lut_panel = size_t(layout_.lut_rows) * kPanel;
      g.lut = g.table + size_t(layout_.table_rows) * widths_[0];
      g.bias = bias_[0].data(), g.out = h_[0].data(), g.out_row = stride_[0], g.relu = true;
      kernels().gather(g);
    } else {
      products_.times(rows, widths_[0], layout_.num_dense, inputs.dense(begin), layout_.num_dense,
                      weights_[0].data(), widths_[0], h_[0].data(), stride_[0]);
      add_bias(0, rows);
    }
    for (size_t l = 1; l < widths_.size(); ++l) {
      products_.times(rows, widths_[l], widths_[l - 1], h_[l - 1].data(), stride_[l - 1],
                      weights_[l].data(), widths_[l], h_[l].data(), stride_[l]);
      add_bias(l, rows);
    }
    kernels().dot_rows(rows, widths_.back(), h_.back().data(), stride_.back(),
                       weights_.back().data(), 0, out_.data());
  }
  const float* outputs() const { return out_.data(); }

  void step(const Inputs& inputs, std::span<const float> targets) {
    for (auto& g : gradients_) std::fill(g.begin(), g.end(), 0.0f);
    const int count = int(targets.size());
    for (int begin = 0; begin < count; begin += kTile) {
      const int rows = std::min(kTile, count - begin);
      forward(inputs, begin, rows);
      for (int r = 0; r < rows; ++r) out_[r] -= targets[begin + r];
      backward(inputs, begin, rows);
    }
    for (size_t i = 0; i < weights_.size(); ++i) {
      Adam a;
      a.rows = 1, a.columns = int(weights_[i].size());
      a.weight = weights_[i].data(), a.mean = means_[i].data(), a.square = squares_[i].data();
      a.gradient = gradients_[i].data(), a.scale = 1.0f / float(count);
      a.rate = 0.005f, a.epsilon = 1e-8f;
      kernels().adam(a);
    }
    for (size_t l = 1; l < widths_.size(); ++l) flip(l);
  }

 private:
  static AlignedVector<float> random(size_t count) {
    Rng rng(RngKey::from_seed(count), 0);
    AlignedVector<float> values(count);
    for (float& v : values) v = float(rng.normal(0, 0.1));
    return values;
  }
  Sources sources(const Inputs& inputs, int begin) const {
    return {inputs.index(begin), int(layout_.category_first.size()), int(layout_.groups.size())};
  }
  void scatter(const Inputs& inputs, int begin, int rows) {
    const int panels = widths_[0] / kPanel;
    for (int r = 0; r < rows; ++r) {
      for (int p = 0; p < panels; ++p) {
        std::copy_n(h_[0].data() + size_t(r) * stride_[0] + p * kPanel, kPanel,
                    panel_.data() + (size_t(p) * kTile + r) * kPanel);
      }
    }
    Scatter s;
    static_cast<Sources&>(s) = sources(inputs, begin);
    s.rows = rows, s.panels = panels;
    s.values = panel_.data(), s.values_panel = size_t(kTile) * kPanel;
    s.table = gradients_[0].data(), s.table_panel = size_t(layout_.table_rows) * kPanel;
    s.lut = s.table + size_t(layout_.table_rows) * widths_[0];
    s.lut_panel = size_t(layout_.lut_rows) * kPanel;
    kernels().scatter(s);
  }
  void add_plain_rows(const FeatureBatch& states, int begin, int rows) {
    const int width = widths_[0], words = states.layout().words();
    const size_t blocks = layout_.category_first.size();
    for (int r = 0; r < rows; ++r) {
      float* h = h_[0].data() + size_t(r) * stride_[0];
      std::copy_n(bias_[0].data(), width, h);
      auto add = [&](size_t row) {
        const float* w = weights_[0].data() + row * width;
        for (int c = 0; c < width; ++c) h[c] += w[c];
      };
      for (size_t b = 0; b < blocks; ++b) {
        add(layout_.category_first[b] + states.category()[(begin + r) * blocks + b]);
      }
      for (int w = 0; w < words; ++w) {
        for (uint32_t bits = states.bits()[(begin + r) * words + w]; bits != 0; bits &= bits - 1) {
          add(layout_.category_rows + 32 * w + std::countr_zero(bits));
        }
      }
      for (int c = 0; c < width; ++c) h[c] = std::max(0.0f, h[c]);
    }
  }
  void add_bias(size_t l, int rows) {
    for (int r = 0; r < rows; ++r) {
      float* h = h_[l].data() + size_t(r) * stride_[l];
      const float* b = bias_[l].data();
      for (int c = 0; c < widths_[l]; ++c) h[c] = std::max(0.0f, h[c] + b[c]);
    }
  }
  void flip(size_t l) {
    for (int k = 0; k < widths_[l - 1]; ++k) {
      for (int n = 0; n < widths_[l]; ++n) {
        flipped_[l - 1][size_t(n) * widths_[l - 1] + k] = weights_[l][size_t(k) * widths_[l] + n];
      }
    }
  }
  void backward(const Inputs& inputs, int begin, int rows) {
    const size_t last = widths_.size() - 1;
    kernels().weighted_sum(rows, widths_[last], out_.data(), h_[last].data(), stride_[last],
                           gradients_[last + 1].data());
    kernels().outer(rows, widths_[last], out_.data(), weights_[last + 1].data(), h_[last].data(),
                    h_[last].data(), stride_[last]);
    for (size_t l = last; l > 0; --l) {
      products_.transposed_times(widths_[l - 1], widths_[l], rows, h_[l - 1].data(), stride_[l - 1],
                                 h_[l].data(), stride_[l], gradients_[l].data(), widths_[l]);
      kernels().weighted_sum(rows, widths_[l], nullptr, h_[l].data(), stride_[l], bias_sum_.data());
      delta_.resize(size_t(kTile) * stride_[l - 1]);
      products_.times(rows, widths_[l - 1], widths_[l], h_[l].data(), stride_[l],
                      flipped_[l - 1].data(), widths_[l - 1], delta_.data(), stride_[l - 1]);
      for (int r = 0; r < rows; ++r) {
        float* h = h_[l - 1].data() + size_t(r) * stride_[l - 1];
        const float* d = delta_.data() + size_t(r) * stride_[l - 1];
        for (int c = 0; c < widths_[l - 1]; ++c) h[c] = h[c] > 0 ? d[c] : 0.0f;
      }
    }
    if (layout_.num_sources() > 0) {
      scatter(inputs, begin, rows);
    } else {
      products_.transposed_times(layout_.num_dense, widths_[0], rows, inputs.dense(begin),
                                 layout_.num_dense, h_[0].data(), stride_[0], gradients_[0].data(),
                                 widths_[0]);
    }
  }

  ParameterLayout layout_;
  Products& products_;
  std::vector<int> widths_, stride_;
  std::vector<AlignedVector<float>> weights_, flipped_, bias_, gradients_, means_, squares_, h_;
  AlignedVector<float> delta_, out_;
  AlignedVector<float> panel_ = AlignedVector<float>(size_t(kTile) * 512);
  AlignedVector<float> bias_sum_ = AlignedVector<float>(1024);
};

}  // namespace penumbra::nn

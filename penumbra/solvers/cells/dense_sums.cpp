#include "penumbra/solvers/cells/dense_sums.h"

#include <algorithm>

#include "penumbra/nn/kernels.h"

namespace penumbra::cells {

void DenseSums::resize(size_t cells, size_t width) {
  cells_ = cells;
  panels_ = nn::padded(static_cast<int>(width)) / nn::kPanel;
  values_.resize(cells * stride());
  panel_.resize(cells * nn::kPanel);
}

void DenseSums::multiply(std::span<const float> chance, size_t observations,
                         std::vector<float>& sums) {
  sums.resize(observations * stride());
  for (size_t p = 0; p < panels_; ++p) {  // a panel at a time stays in the nearest cache
    for (size_t i = 0; i < cells_; ++i)
      std::copy_n(row(i) + p * nn::kPanel, nn::kPanel, panel_.data() + i * nn::kPanel);
    nn::kernels().gemm({.rows = static_cast<int>(observations),
                        .inner = static_cast<int>(cells_),
                        .panels = 1,
                        .a = chance.data(),
                        .a_row = 1,
                        .a_inner = observations,
                        .b = panel_.data(),
                        .b_panel = 0,
                        .b_inner = nn::kPanel,
                        .c = sums.data() + p * nn::kPanel,
                        .c_row = stride(),
                        .c_panel = 0});
  }
}

}  // namespace penumbra::cells

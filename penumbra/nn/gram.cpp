#include "penumbra/nn/gram.h"

#include <algorithm>

#include "penumbra/base/error.h"
#include "penumbra/nn/kernels.h"
#include "penumbra/nn/parallel.h"

namespace penumbra::nn {
namespace {

constexpr int kBlock = 6;    // rows of one register block
constexpr int kWide = 8;     // columns of one panel of doubles
constexpr int kDepth = 192;  // sample rows packed at a time
constexpr int kBandBlocks = 4;

int round_up(int n, int to) {
  return (n + to - 1) / to * to;
}

// Some sample rows as doubles: panels of kWide columns, and blocks of kBlock columns that carry
// the weight.
struct Packed {
  AlignedVector<double> panels, blocks;
  int depth = 0;

  explicit Packed(int width)
      : panels(size_t(round_up(width, kWide)) * kDepth),
        blocks(size_t(round_up(width, kBlock)) * kDepth) {}

  // Rows of a FeatureMatrix are padded with zeros to whole panels, but not to whole blocks.
  void load(const FeatureMatrix& x, std::span<const int> rows, std::span<const double> weights) {
    depth = int(rows.size());
    const int num_panels = round_up(x.width, kWide) / kWide, full = x.width / kBlock;
    for (int r = 0; r < depth; ++r) {
      const float* row = x.row(rows[r]);
      const double weight = weights[rows[r]];
      for (int p = 0; p < num_panels; ++p) {
        double* to = panels.data() + (size_t(p) * kDepth + r) * kWide;
        for (int j = 0; j < kWide; ++j) to[j] = row[p * kWide + j];
      }
      double* to = blocks.data() + size_t(r) * kBlock;
      for (int b = 0; b < full; ++b, to += kDepth * kBlock) {
        for (int j = 0; j < kBlock; ++j) to[j] = weight * row[b * kBlock + j];
      }
      for (int c = full * kBlock; c < x.width; ++c) to[c - full * kBlock] = weight * row[c];
    }
  }
};

}  // namespace

GramMatrix::GramMatrix(int columns)
    : width(columns),
      stride(round_up(columns, kWide)),
      values(size_t(round_up(columns, kBlock)) * stride) {}

void GramMatrix::add(const GramMatrix& other, double scale) {
  PENUMBRA_CHECK(width == other.width, "Gram matrices of one width");
  for (size_t i = 0; i < values.size(); ++i) values[i] += scale * other.values[i];
}

void add_rows(GramMatrix& gram, const FeatureMatrix& features, std::span<const double> weights,
              ThreadPool* pool) {
  PENUMBRA_CHECK(features.width == gram.width && weights.size() == size_t(features.rows),
                 "features and weights of the Gram matrix's size");
  std::vector<int> rows;
  for (int r = 0; r < features.rows; ++r) {
    if (weights[r] > 0) rows.push_back(r);
  }
  const int blocks = (gram.width + kBlock - 1) / kBlock;
  Packed packed(gram.width);
  for (size_t at = 0; at < rows.size(); at += kDepth) {
    packed.load(features, std::span(rows).subspan(at, std::min<size_t>(kDepth, rows.size() - at)),
                weights);
    // Bands of the triangle are independent of each other; the last ones are the longest.
    for_chunks(pool, blocks, kBandBlocks, [&](size_t, size_t begin, size_t end) {
      for (size_t b = begin; b < end; ++b) {
        const int last = std::min<int>(gram.width - 1, int(b) * kBlock + kBlock - 1);
        kernels().gemm_double({.rows = kBlock,
                               .inner = packed.depth,
                               .panels = last / kWide + 1,
                               .a = packed.blocks.data() + b * kDepth * kBlock,
                               .a_row = 1,
                               .a_inner = kBlock,
                               .b = packed.panels.data(),
                               .b_panel = size_t(kDepth) * kWide,
                               .b_inner = kWide,
                               .c = gram.values.data() + b * kBlock * gram.stride,
                               .c_row = gram.stride,
                               .c_panel = kWide,
                               .accumulate = true});
      }
    });
  }
}

}  // namespace penumbra::nn

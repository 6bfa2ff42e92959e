#include "penumbra/nn/linear_heads.h"

#include <algorithm>
#include <string>

#include "penumbra/base/error.h"
#include "penumbra/nn/forward.h"
#include "penumbra/nn/kernels.h"
#include "penumbra/nn/parallel.h"

namespace penumbra::nn {
namespace {

constexpr size_t kChunkRows = 8 * Forward::kTileRows;
// Partial sums of features are kept per part of the rows; their number does not depend on threads.
constexpr size_t kMostParts = 8;

void check_room(size_t found, size_t wanted) {
  if (found != wanted) {
    throw Error("linear heads: room for " + std::to_string(found) + " values where " +
                std::to_string(wanted) + " are computed");
  }
}

}  // namespace

LinearHeads::LinearHeads(int width) : width_(width), stride_(padded(width)) {
  if (width < 1) throw Error("linear heads: at least one feature");
}

std::span<const float> LinearHeads::head(int i) const {
  PENUMBRA_CHECK(i >= 0 && i < size_, "no such head");
  return {rows_.data() + size_t(i) * stride_, size_t(width_)};
}

void LinearHeads::add(std::span<const float> head) {
  PENUMBRA_CHECK(head.size() == size_t(width_), "a head has one weight per feature");
  rows_.insert(rows_.end(), head.begin(), head.end());
  rows_.resize(size_t(size_ + 1) * stride_, 0.0f);
  const int column = size_ % kPanel;
  if (column == 0) panels_.resize(panels_.size() + size_t(width_) * kPanel, 0.0f);
  float* panel = panels_.data() + size_t(size_ / kPanel) * width_ * kPanel;
  for (int k = 0; k < width_; ++k) panel[size_t(k) * kPanel + column] = head[k];
  ++size_;
}

void LinearHeads::keep(std::span<const int> indices) {
  LinearHeads kept(width_);
  for (int i : indices) kept.add(head(i));
  *this = std::move(kept);
}

void LinearHeads::apply(const float* features, size_t stride, int rows, float* out) const {
  const int full = size_ / kPanel, rest = size_ % kPanel;
  Gemm<float> g{.rows = rows,
                .inner = width_,
                .panels = full,
                .a = features,
                .a_row = stride,
                .b = panels_.data(),
                .b_panel = size_t(width_) * kPanel,
                .b_inner = kPanel,
                .c = out,
                .c_row = size_t(size_),
                .c_panel = kPanel};
  kernels().gemm(g);
  if (rest == 0) return;
  AlignedVector<float> last(size_t(rows) * kPanel);
  g.panels = 1;
  g.b += full * g.b_panel;
  g.c = last.data();
  g.c_row = kPanel;
  kernels().gemm(g);
  for (int r = 0; r < rows; ++r) {
    std::copy_n(last.data() + size_t(r) * kPanel, rest, out + size_t(r) * size_ + full * kPanel);
  }
}

float LinearHeads::apply_one(int head, const float* features) const {
  float value;
  kernels().dot_rows(1, stride_, features, 0, rows_.data() + size_t(head) * stride_, 0, &value);
  return value;
}

void LinearHeads::apply_double(const double* rows, size_t stride, int count, double* out,
                               ThreadPool* pool) const {
  constexpr int kWide = 8;
  for_chunks(pool, size_, kWide, [&](size_t, size_t begin, size_t end) {
    AlignedVector<double> panel(size_t(width_) * kWide, 0.0), values(size_t(count) * kWide);
    for (size_t h = begin; h < end; ++h) {
      const float* from = rows_.data() + h * stride_;
      for (int k = 0; k < width_; ++k) panel[size_t(k) * kWide + (h - begin)] = from[k];
    }
    kernels().gemm_double({.rows = count,
                           .inner = width_,
                           .panels = 1,
                           .a = rows,
                           .a_row = stride,
                           .b = panel.data(),
                           .b_inner = kWide,
                           .c = values.data(),
                           .c_row = kWide});
    for (int r = 0; r < count; ++r) {
      std::copy_n(values.data() + size_t(r) * kWide, end - begin, out + size_t(r) * size_ + begin);
    }
  });
}

void LinearHeads::write(ByteWriter& out) const {
  out.i32(width_);
  out.u64(size_);
  for (int i = 0; i < size_; ++i) out.floats(head(i));
}

LinearHeads LinearHeads::read(ByteReader& in) {
  LinearHeads heads(in.i32());
  const uint64_t count = in.u64();
  for (uint64_t i = 0; i < count; ++i) {
    const std::vector<float> head = in.floats();
    if (head.size() != size_t(heads.width_)) throw Error("saved heads: a head of the wrong width");
    heads.add(head);
  }
  return heads;
}

void predict(const FeatureMap& map, const LinearHeads& heads, const FeatureBatch& states,
             std::span<float> out, ThreadPool* pool) {
  check_room(out.size(), size_t(states.rows()) * heads.size());
  const Inputs inputs(map.trunk().layout(), states);
  for_chunks(pool, states.rows(), kChunkRows, [&](size_t, size_t begin, size_t end) {
    map.for_tiles(inputs, int(begin), int(end), [&](int row, int rows, const float* x, size_t at) {
      heads.apply(x, at, rows, out.data() + size_t(row) * heads.size());
    });
  });
}

void predict_sums(const FeatureMap& map, const LinearHeads& heads, const FeatureBatch& states,
                  const Groups& groups, std::span<double> sums, ThreadPool* pool) {
  const size_t rows = states.rows(), width = map.width();
  groups.check(states.rows(), sums.size(), heads.size());
  const Inputs inputs(map.trunk().layout(), states);
  const size_t grain = std::max(kChunkRows, (rows + kMostParts - 1) / kMostParts);
  const size_t parts = std::max<size_t>(1, ThreadPool::num_chunks(rows, grain));
  const size_t each = groups.count * width;
  AlignedVector<double> total(parts * each, 0.0);
  for_chunks(pool, rows, grain, [&](size_t part, size_t begin, size_t end) {
    double* sum = total.data() + part * each;
    map.for_tiles(inputs, int(begin), int(end), [&](int row, int tile, const float* x, size_t at) {
      for (int i = 0; i < tile; ++i) {
        const int32_t g = groups.group[row + i];
        if (g < 0) continue;
        kernels().add_double(int(width), groups.weight(row + i), x + i * at, sum + g * width);
      }
    });
  });
  for (size_t p = 1; p < parts; ++p) {
    for (size_t i = 0; i < each; ++i) total[i] += total[p * each + i];
  }
  heads.apply_double(total.data(), width, groups.count, sums.data(), pool);
}

void predict_rows(const FeatureMap& map, const LinearHeads& heads, const FeatureBatch& states,
                  std::span<const int32_t> which, std::span<float> out, ThreadPool* pool) {
  check_room(which.size(), states.rows());
  check_room(out.size(), states.rows());
  for (int32_t h : which) PENUMBRA_CHECK(h >= 0 && h < heads.size(), "no such head");
  const Inputs inputs(map.trunk().layout(), states);
  for_chunks(pool, states.rows(), kChunkRows, [&](size_t, size_t begin, size_t end) {
    map.for_tiles(inputs, int(begin), int(end), [&](int row, int rows, const float* x, size_t at) {
      for (int i = 0; i < rows; ++i) out[row + i] = heads.apply_one(which[row + i], x + i * at);
    });
  });
}

}  // namespace penumbra::nn

// The register-blocked matrix product, compiled once per instruction set by kernels.cpp.
#if defined(PENUMBRA_NN_GEMM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENUMBRA_NN_GEMM_INL_H_
#undef PENUMBRA_NN_GEMM_INL_H_
#else
#define PENUMBRA_NN_GEMM_INL_H_
#endif

#include <hwy/highway.h>

#include "penumbra/nn/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace penumbra::nn {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using PanelTag = hn::CappedTag<T, kLineBytes / sizeof(T)>;

template <class T>
constexpr int panel_vectors() {
  return static_cast<int>(kLineBytes / sizeof(T) / hn::MaxLanes(PanelTag<T>()));
}

// Rows of one register block. With 16 vector registers, 12 sums leave room for two panel vectors
// and a broadcast; two multiply-adds of latency four each cycle need at least eight sums.
template <class T>
constexpr int block_rows() {
  constexpr int vectors = panel_vectors<T>();
  return vectors == 1 ? 12 : vectors == 2 ? 6 : vectors <= 4 ? 2 : 1;
}

template <class T, int MR>
struct Block {
  using D = PanelTag<T>;
  using V = hn::Vec<D>;
  static constexpr int kVectors = panel_vectors<T>();
  static constexpr size_t kLanes = hn::MaxLanes(D());
  V sum[MR][kVectors];

  HWY_INLINE void start(const Gemm<T>& g, const T* c, const T* bias) {
    const D d;
    for (int j = 0; j < kVectors; ++j) {
      const V first = bias ? hn::LoadU(d, bias + j * kLanes) : hn::Zero(d);
      for (int i = 0; i < MR; ++i) {
        sum[i][j] = g.accumulate ? hn::LoadU(d, c + i * g.c_row + j * kLanes) : first;
      }
    }
  }

  // One rank-one update: column k of A times row k of B.
  HWY_INLINE void step(const T* a, size_t a_row, const T* b) {
    const D d;
    V row[kVectors];
    for (int j = 0; j < kVectors; ++j) row[j] = hn::LoadU(d, b + j * kLanes);
    for (int i = 0; i < MR; ++i) {
      const V x = hn::Set(d, a[i * a_row]);
      for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::MulAdd(x, row[j], sum[i][j]);
    }
  }

  HWY_INLINE void finish(const Gemm<T>& g, T* c, const T* mask) {
    const D d;
    const V zero = hn::Zero(d);
    for (int i = 0; i < MR; ++i) {
      for (int j = 0; j < kVectors; ++j) {
        V x = sum[i][j];
        const size_t at = i * g.c_row + j * kLanes;
        if (g.relu) x = hn::Max(x, zero);
        if (mask) x = hn::IfThenElseZero(hn::Gt(hn::LoadU(d, mask + at), zero), x);
        hn::StoreU(x, d, c + at);
      }
    }
  }
};

template <class T, int MR>
HWY_NOINLINE void gemm_block(const Gemm<T>& g, const T* a, const T* b, T* c, const T* bias,
                             const T* mask) {
  Block<T, MR> block;
  block.start(g, c, bias);
  int k = 0;
  if (g.a_inner == 1) {
    const size_t a_row = g.a_row, step = g.b_inner;
    for (; k + 4 <= g.inner; k += 4, a += 4, b += 4 * step) {
      block.step(a, a_row, b);
      block.step(a + 1, a_row, b + step);
      block.step(a + 2, a_row, b + 2 * step);
      block.step(a + 3, a_row, b + 3 * step);
    }
    for (; k < g.inner; ++k, ++a, b += step) block.step(a, a_row, b);
  } else {
    const size_t a_step = g.a_inner, step = g.b_inner;
    for (; k + 2 <= g.inner; k += 2, a += 2 * a_step, b += 2 * step) {
      block.step(a, 1, b);
      block.step(a + a_step, 1, b + step);
    }
    for (; k < g.inner; ++k, a += a_step, b += step) block.step(a, 1, b);
  }
  block.finish(g, c, mask);
}

// The last rows of a panel, fewer than a full block.
template <class T, int MR>
HWY_INLINE void gemm_tail(int rows, const Gemm<T>& g, const T* a, const T* b, T* c, const T* bias,
                          const T* mask) {
  if constexpr (MR > 0) {
    if (rows == MR) return gemm_block<T, MR>(g, a, b, c, bias, mask);
    gemm_tail<T, MR - 1>(rows, g, a, b, c, bias, mask);
  }
}

template <class T>
void gemm(const Gemm<T>& g) {
  constexpr int kRows = block_rows<T>();
  constexpr size_t kWidth = kLineBytes / sizeof(T);
  for (int p = 0; p < g.panels; ++p) {
    const T* b = g.b + p * g.b_panel;
    const T* bias = g.bias ? g.bias + p * kWidth : nullptr;
    const T* mask = g.mask ? g.mask + p * g.c_panel : nullptr;
    T* c = g.c + p * g.c_panel;
    for (int i = 0; i < g.rows;) {
      // A remainder just above a block is shared between two blocks of similar size.
      const int left = g.rows - i;
      const int rows = left >= 2 * kRows || left == kRows ? kRows
                       : left > kRows                     ? (left + 1) / 2
                                                          : left;
      const T* from = g.a + i * g.a_row;
      const T* kept = mask ? mask + i * g.c_row : nullptr;
      if (rows == kRows) {
        gemm_block<T, kRows>(g, from, b, c + i * g.c_row, bias, kept);
      } else {
        gemm_tail<T, kRows - 1>(rows, g, from, b, c + i * g.c_row, bias, kept);
      }
      i += rows;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace penumbra::nn
HWY_AFTER_NAMESPACE();

#endif

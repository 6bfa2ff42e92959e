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

// Keeps a loaded vector in its register: a compiler that folds the load into each use makes the
// loop wait for loads instead of multiply-adds.
template <class V>
HWY_INLINE void pin(V& v) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && HWY_COMPILER_GCC
  asm("" : "+x"(v.raw));
#endif
  (void)v;
}

template <class T, int MR>
struct Block {
  using D = PanelTag<T>;
  using V = hn::Vec<D>;
  static constexpr int kVectors = panel_vectors<T>();
  static constexpr size_t kLanes = hn::MaxLanes(D());
  V sum[MR][kVectors];

  HWY_INLINE void start(const T* from, size_t row) {
    const D d;
    for (int i = 0; i < MR; ++i) {
      for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::LoadU(d, from + i * row + j * kLanes);
    }
  }

  // One rank-one update: a column of A, a(0) to a(MR - 1), times a row of B.
  template <class A>
  HWY_INLINE void step(const A& a, const T* b) {
    const D d;
    V row[kVectors];
    for (int j = 0; j < kVectors; ++j) {
      row[j] = hn::LoadU(d, b + j * kLanes);
      pin(row[j]);
    }
    for (int i = 0; i < MR; ++i) {
      const V x = hn::Set(d, a(i));
      for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::MulAdd(x, row[j], sum[i][j]);
    }
  }

  template <class Finish>
  HWY_INLINE void store(T* c, size_t row, const Finish& finish) {
    const D d;
    for (int i = 0; i < MR; ++i) {
      for (int j = 0; j < kVectors; ++j) {
        const size_t at = i * row + j * kLanes;
        hn::StoreU(finish(sum[i][j], i, j), d, c + at);
      }
    }
  }
};

// One block of C. kAlong: rows of A are contiguous; otherwise its columns are.
template <class T, int MR, bool kAlong>
HWY_INLINE void gemm_block(const Gemm<T>& g, const T* a, const T* b, T* c, const T* bias,
                           const T* mask) {
  alignas(kLineBytes) static constexpr T kZeros[kLineBytes / sizeof(T)] = {};
  using V = typename Block<T, MR>::V;
  Block<T, MR> block;
  block.start(g.accumulate ? c : bias ? bias : kZeros, g.accumulate ? g.c_row : 0);
  const size_t step = g.b_inner, a_step = g.a_inner;
  const int inner = g.inner;
  int k = 0;
  if constexpr (kAlong) {
    const T* rows[MR];
    for (int i = 0; i < MR; ++i) rows[i] = a + i * g.a_row;
    for (; k + 2 <= inner; k += 2, b += 2 * step) {
      block.step([&](int i) HWY_ATTR { return rows[i][k]; }, b);
      block.step([&](int i) HWY_ATTR { return rows[i][k + 1]; }, b + step);
    }
    if (k < inner) block.step([&](int i) HWY_ATTR { return rows[i][k]; }, b);
  } else {
    for (; k + 2 <= inner; k += 2, a += 2 * a_step, b += 2 * step) {
      block.step([&](int i) HWY_ATTR { return a[i]; }, b);
      block.step([&](int i) HWY_ATTR { return (a + a_step)[i]; }, b + step);
    }
    if (k < inner) block.step([&](int i) HWY_ATTR { return a[i]; }, b);
  }
  const PanelTag<T> d;
  const V zero = hn::Zero(d);
  if (mask) {
    const size_t mask_row = g.mask_row;
    block.store(c, g.c_row, [&](V x, int i, int j) HWY_ATTR {
      const T* at = mask + i * mask_row + j * Block<T, MR>::kLanes;
      return hn::IfThenElseZero(hn::Gt(hn::LoadU(d, at), zero), x);
    });
  } else if (g.relu) {
    block.store(c, g.c_row, [&](V x, int, int) HWY_ATTR { return hn::Max(x, zero); });
  } else {
    block.store(c, g.c_row, [](V x, int, int) HWY_ATTR { return x; });
  }
}

// A block of at most MR rows.
template <class T, int MR, bool kAlong>
HWY_NOINLINE void gemm_tail(int rows, const Gemm<T>& g, const T* a, const T* b, T* c, const T* bias,
                            const T* mask) {
  if constexpr (MR > 0) {
    if (rows == MR) return gemm_block<T, MR, kAlong>(g, a, b, c, bias, mask);
    gemm_tail<T, MR - 1, kAlong>(rows, g, a, b, c, bias, mask);
  }
}

template <class T, bool kAlong>
void gemm_panels(const Gemm<T>& g) {
  constexpr int kRows = block_rows<T>();
  constexpr size_t kWidth = kLineBytes / sizeof(T);
  for (int p = 0; p < g.panels; ++p) {
    const T* b = g.b + p * g.b_panel;
    const T* bias = g.bias ? g.bias + p * kWidth : nullptr;
    int i = 0;
    for (; i + 2 * kRows <= g.rows || i + kRows == g.rows; i += kRows) {
      gemm_block<T, kRows, kAlong>(g, g.a + i * g.a_row, b, g.c + p * g.c_panel + i * g.c_row, bias,
                                   g.mask ? g.mask + p * g.mask_panel + i * g.mask_row : nullptr);
    }
    while (i < g.rows) {
      // A remainder just above a block is shared between two blocks of similar size.
      const int left = g.rows - i;
      const int rows = left > kRows ? (left + 1) / 2 : left;
      const T* mask = g.mask ? g.mask + p * g.mask_panel + i * g.mask_row : nullptr;
      gemm_tail<T, kRows, kAlong>(rows, g, g.a + i * g.a_row, b, g.c + p * g.c_panel + i * g.c_row,
                                  bias, mask);
      i += rows;
    }
  }
}

template <class T>
void gemm(const Gemm<T>& g) {
  if (g.inner == 0 && g.a_row != 0) {  // there is no A, not even an address
    Gemm<T> without = g;
    without.a_row = 0;
    return gemm(without);
  }
  if (g.a_inner == 1) return gemm_panels<T, true>(g);
  gemm_panels<T, false>(g);
}

}  // namespace HWY_NAMESPACE
}  // namespace penumbra::nn
HWY_AFTER_NAMESPACE();

#endif

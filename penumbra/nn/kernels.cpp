#include "penumbra/nn/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "penumbra/nn/kernels.cpp"
// Blocks of sums are arrays of vectors, which sizeless vectors do not allow.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // keep before highway.h
#include <hwy/highway.h>

#include "penumbra/nn/gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace penumbra::nn {
namespace HWY_NAMESPACE {

using Tag = PanelTag<float>;
using Vector = hn::Vec<Tag>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag()));

constexpr int kPanelVectors = panel_vectors<float>();

// Two panels at a time: their share of the look-up tables fits into the first-level cache. Rows of
// categories may have to come from far, so they are asked for ahead of time, and a run of states
// with the same categories reads them once.
template <int kPanels, bool kRelu>
HWY_NOINLINE void gather_panels(const Gather& g, int first) {
  constexpr int kAhead = 12, kVectors = kPanels * kPanelVectors;
  const Tag d;
  const size_t table_panel = g.table_panel, lut_panel = g.lut_panel, out_row = g.out_row;
  const float* const table = g.table + first * table_panel;
  const float* const lut = g.lut + first * lut_panel;
  const ptrdiff_t num_table = g.num_table, num_lut = g.num_lut, sources = num_table + num_lut;
  const int32_t* index = g.index;
  const int32_t* const last = index + (g.rows - 1) * sources;
  float* out = g.out + first * kPanel;
  const float* const bias = g.bias + first * kPanel;
  Vector base[kVectors];  // the bias and the categories of `held`
  for (int j = 0; j < kVectors; ++j) base[j] = hn::LoadU(d, bias + j * kLanes);
  const int32_t* held = nullptr;
  for (; index <= last; out += out_row) {
    bool fresh = held == nullptr;
    for (ptrdiff_t s = 0; s < num_table && !fresh; ++s) fresh = index[s] != held[s];
    if (fresh) {
      const int32_t* later = HWY_MIN(index + kAhead * sources, last);
      held = index;
      for (int j = 0; j < kVectors; ++j) base[j] = hn::LoadU(d, bias + j * kLanes);
      for (ptrdiff_t s = 0; s < num_table; ++s) {
        for (int p = 0; p < kPanels; ++p) {
          hwy::Prefetch(table + later[s] * ptrdiff_t{kPanel} + p * table_panel);
          const float* from = table + index[s] * ptrdiff_t{kPanel} + p * table_panel;
          for (int j = 0; j < kPanelVectors; ++j) {
            Vector& to = base[p * kPanelVectors + j];
            to = hn::Add(to, hn::LoadU(d, from + j * kLanes));
          }
        }
      }
    }
    Vector sum[kVectors];
    for (int j = 0; j < kVectors; ++j) sum[j] = base[j];
    index += num_table;
    for (ptrdiff_t s = 0; s < num_lut; ++s) {
      for (int p = 0; p < kPanels; ++p) {
        const float* from = lut + index[s] * ptrdiff_t{kPanel} + p * lut_panel;
        for (int j = 0; j < kPanelVectors; ++j) {
          Vector& to = sum[p * kPanelVectors + j];
          to = hn::Add(to, hn::LoadU(d, from + j * kLanes));
        }
      }
    }
    index += num_lut;
    for (int j = 0; j < kVectors; ++j) {
      hn::StoreU(kRelu ? hn::Max(sum[j], hn::Zero(d)) : sum[j], d, out + j * kLanes);
    }
  }
}

template <bool kRelu>
void gather_all(const Gather& g) {
  int p = 0;
  for (; p + 2 <= g.panels; p += 2) gather_panels<2, kRelu>(g, p);
  if (p < g.panels) gather_panels<1, kRelu>(g, p);
}

void gather(const Gather& g) {
  if (g.rows == 0) return;
  g.relu ? gather_all<true>(g) : gather_all<false>(g);
}

template <int kPanels>
HWY_INLINE void scatter_panels(const Scatter& s, int first) {
  constexpr int kVectors = kPanels * kPanelVectors;
  const Tag d;
  const size_t table_panel = s.table_panel, lut_panel = s.lut_panel;
  float* table = s.table + first * table_panel;
  float* lut = s.lut + first * lut_panel;
  const int num_table = s.num_table, sources = s.num_table + s.num_lut, rows = s.rows;
  const int32_t* index = s.index;
  const float* from = s.values + first * s.values_panel;
  for (int r = 0; r < rows; ++r, from += kPanel, index += sources) {
    Vector value[kVectors];
    for (int p = 0; p < kPanels; ++p) {
      for (int j = 0; j < kPanelVectors; ++j) {
        value[p * kPanelVectors + j] = hn::LoadU(d, from + p * s.values_panel + j * kLanes);
      }
    }
    auto add = [&](float* to, size_t panel) HWY_ATTR {
      for (int p = 0; p < kPanels; ++p) {
        for (int j = 0; j < kPanelVectors; ++j) {
          float* at = to + p * panel + j * kLanes;
          hn::StoreU(hn::Add(hn::LoadU(d, at), value[p * kPanelVectors + j]), d, at);
        }
      }
    };
    for (int i = 0; i < num_table; ++i) add(table + size_t(index[i]) * kPanel, table_panel);
    for (int i = num_table; i < sources; ++i) add(lut + size_t(index[i]) * kPanel, lut_panel);
  }
}

void scatter(const Scatter& s) {
  int p = 0;
  for (; p + 2 <= s.panels; p += 2) scatter_panels<2>(s, p);
  if (p < s.panels) scatter_panels<1>(s, p);
}

void adam(const Adam& a) {
  const Tag d;
  const Vector beta1 = hn::Set(d, a.beta1), rest1 = hn::Set(d, 1 - a.beta1);
  const Vector beta2 = hn::Set(d, a.beta2), rest2 = hn::Set(d, 1 - a.beta2);
  const Vector rate = hn::Set(d, -a.rate), epsilon = hn::Set(d, a.epsilon);
  // Moments of units that died decay for ever; cut them off before they become denormal.
  const Vector tiny = hn::Set(d, 1e-30f), scale = hn::Set(d, a.scale);
  for (int r = 0; r < a.rows; ++r) {
    for (int c = 0; c < a.columns; c += kLanes) {
      const size_t at = r * a.row + c;
      const float* gradient = a.gradient + r * a.gradient_row + c;
      Vector g = hn::LoadU(d, gradient);
      for (int i = 1; i < a.num_gradients; ++i) {
        g = hn::Add(g, hn::LoadU(d, gradient + i * a.gradient_step));
      }
      g = hn::Mul(g, scale);
      Vector m = hn::MulAdd(rest1, g, hn::Mul(beta1, hn::LoadU(d, a.mean + at)));
      Vector v = hn::MulAdd(rest2, hn::Mul(g, g), hn::Mul(beta2, hn::LoadU(d, a.square + at)));
      m = hn::IfThenElseZero(hn::Gt(hn::Abs(m), tiny), m);
      v = hn::IfThenElseZero(hn::Gt(v, tiny), v);
      hn::StoreU(m, d, a.mean + at);
      hn::StoreU(v, d, a.square + at);
      const Vector step = hn::Div(m, hn::Add(hn::Sqrt(v), epsilon));
      hn::StoreU(hn::MulAdd(rate, step, hn::LoadU(d, a.weight + at)), d, a.weight + at);
    }
  }
}

// The dot products of kRows rows with w. Each row adds up in the same order, whatever kRows.
template <int kRows>
HWY_INLINE void dot_block(int inner, const float* a, size_t a_row, const float* w, float bias,
                          float* out) {
  const Tag d;
  Vector sum[kRows];
  for (int i = 0; i < kRows; ++i) sum[i] = hn::Zero(d);
  int k = 0;
  for (; k + kLanes <= inner; k += kLanes) {
    const Vector x = hn::LoadU(d, w + k);
    for (int i = 0; i < kRows; ++i) {
      sum[i] = hn::MulAdd(hn::LoadU(d, a + i * a_row + k), x, sum[i]);
    }
  }
  for (int i = 0; i < kRows; ++i) {
    float total = hn::GetLane(hn::SumOfLanes(d, sum[i]));
    for (int j = k; j < inner; ++j) total += a[i * a_row + j] * w[j];
    out[i] = total + bias;
  }
}

void dot_rows(int rows, int inner, const float* a, size_t a_row, const float* w, float bias,
              float* out) {
  int r = 0;
  for (; r + 8 <= rows; r += 8) dot_block<8>(inner, a + r * a_row, a_row, w, bias, out + r);
  for (; r < rows; ++r) dot_block<1>(inner, a + r * a_row, a_row, w, bias, out + r);
}

void outer(int rows, int columns, const float* values, const float* w, const float* mask,
           float* out, size_t row) {
  const Tag d;
  for (int r = 0; r < rows; ++r) {
    const Vector x = hn::Set(d, values[r]);
    for (int c = 0; c < columns; c += kLanes) {
      const Vector y = hn::Mul(x, hn::LoadU(d, w + c));
      const auto on = hn::Gt(hn::LoadU(d, mask + r * row + c), hn::Zero(d));
      hn::StoreU(hn::IfThenElseZero(on, y), d, out + r * row + c);
    }
  }
}

void weighted_sum(int rows, int columns, const float* values, const float* a, size_t a_row,
                  float* sum) {
  const Tag d;
  constexpr int kWide = kPanel / kLanes;
  for (int c = 0; c < columns; c += kPanel) {
    Vector total[kWide];
    for (int j = 0; j < kWide; ++j) total[j] = hn::LoadU(d, sum + c + j * kLanes);
    const float* row = a + c;
    for (int r = 0; r < rows; ++r, row += a_row) {
      const Vector x = hn::Set(d, values ? values[r] : 1.0f);
      for (int j = 0; j < kWide; ++j) {
        total[j] = hn::MulAdd(x, hn::LoadU(d, row + j * kLanes), total[j]);
      }
    }
    for (int j = 0; j < kWide; ++j) hn::StoreU(total[j], d, sum + c + j * kLanes);
  }
}

void add_double(int columns, double weight, const float* a, double* sum) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> half;
  const auto w = hn::Set(d, weight);
  int c = 0;
  for (const int lanes = int(hn::Lanes(d)); c + lanes <= columns; c += lanes) {
    const auto x = hn::PromoteTo(d, hn::LoadU(half, a + c));
    hn::StoreU(hn::MulAdd(w, x, hn::LoadU(d, sum + c)), d, sum + c);
  }
  for (; c < columns; ++c) sum[c] += weight * a[c];
}

// The chains start from what the caller left in *sink, so that no compiler can run them in advance.
double fma_loop(long steps, float* sink) {
  const hn::ScalableTag<float> d;
  const auto x = hn::Set(d, 0.999f), y = hn::Set(d, 1e-3f);
  constexpr int kChains = 12;
  hn::Vec<decltype(d)> sum[kChains];
  for (int i = 0; i < kChains; ++i) sum[i] = hn::Set(d, *sink + float(i));
  for (long s = 0; s < steps; ++s) {
    for (int i = 0; i < kChains; ++i) sum[i] = hn::MulAdd(sum[i], x, y);
  }
  auto total = sum[0];
  for (int i = 1; i < kChains; ++i) total = hn::Add(total, sum[i]);
  *sink = hn::GetLane(hn::SumOfLanes(d, total));
  return double(steps) * kChains * hn::Lanes(d);
}

Kernels make_kernels() {
  return {hwy::TargetName(HWY_TARGET),
          gemm<float>,
          gemm<double>,
          gather,
          scatter,
          adam,
          dot_rows,
          outer,
          weighted_sum,
          add_double,
          fma_loop};
}

}  // namespace HWY_NAMESPACE
}  // namespace penumbra::nn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penumbra::nn {

HWY_EXPORT(make_kernels);

const Kernels& kernels() {
  static const Kernels table = HWY_DYNAMIC_DISPATCH(make_kernels)();
  return table;
}

std::vector<Kernels> supported_kernels() {
  kernels();  // chosen before the choice is narrowed
  std::vector<Kernels> tables;
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    tables.push_back(HWY_DYNAMIC_DISPATCH(make_kernels)());
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return tables;
}

}  // namespace penumbra::nn
#endif

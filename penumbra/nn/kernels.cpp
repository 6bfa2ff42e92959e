#include "penumbra/nn/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "penumbra/nn/kernels.cpp"
// Blocks of sums are arrays of vectors, which sizeless vectors do not allow.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>  // keep before highway.h
#include <hwy/highway.h>

#include "penumbra/nn/gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace penumbra::nn {
namespace HWY_NAMESPACE {

using Tag = PanelTag<float>;
using Vector = hn::Vec<Tag>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag()));

// Keeps some vectors of columns of one row in registers while it adds up all sources.
template <int kVectors>
HWY_INLINE void gather_columns(const Gather& g, int row, int column) {
  const Tag d;
  Vector sum[kVectors];
  for (int j = 0; j < kVectors; ++j) sum[j] = hn::LoadU(d, g.bias + column + j * kLanes);
  const int32_t* index = g.index + size_t(row) * (g.num_table + g.num_lut);
  const float* base = g.table + column;
  for (int count : {g.num_table, g.num_lut}) {
    for (int s = 0; s < count; ++s) {
      const float* from = base + index[s] * g.source_row;
      for (int j = 0; j < kVectors; ++j) {
        sum[j] = hn::Add(sum[j], hn::LoadU(d, from + j * kLanes));
      }
    }
    index += count;
    base = g.lut + column;
  }
  float* out = g.out + row * g.out_row + column;
  for (int j = 0; j < kVectors; ++j) {
    const Vector x = g.relu ? hn::Max(sum[j], hn::Zero(d)) : sum[j];
    hn::StoreU(x, d, out + j * kLanes);
  }
}

void gather(const Gather& g) {
  constexpr int kWide = kLanes == 1 ? 4 : 8;
  for (int r = 0; r < g.rows; ++r) {
    int column = 0;
    for (; column + kWide * kLanes <= g.columns; column += kWide * kLanes) {
      gather_columns<kWide>(g, r, column);
    }
    for (; column < g.columns; column += kLanes) gather_columns<1>(g, r, column);
  }
}

void scatter(const Scatter& s) {
  const Tag d;
  const int32_t* index = s.index;
  for (int r = 0; r < s.rows; ++r) {
    const float* from = s.values + r * s.values_row;
    float* base = s.table;
    for (int count : {s.num_table, s.num_lut}) {
      for (int i = 0; i < count; ++i) {
        float* to = base + *index++ * s.source_row;
        for (int c = 0; c < s.columns; c += kLanes) {
          hn::StoreU(hn::Add(hn::LoadU(d, to + c), hn::LoadU(d, from + c)), d, to + c);
        }
      }
      base = s.lut;
    }
  }
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

void dot_rows(int rows, int inner, const float* a, size_t a_row, const float* w, float bias,
              float* out) {
  const Tag d;
  for (int r = 0; r < rows; ++r) {
    const float* row = a + r * a_row;
    Vector even = hn::Zero(d), odd = hn::Zero(d);
    int k = 0;
    for (; k + 2 * kLanes <= inner; k += 2 * kLanes) {
      even = hn::MulAdd(hn::LoadU(d, row + k), hn::LoadU(d, w + k), even);
      odd = hn::MulAdd(hn::LoadU(d, row + k + kLanes), hn::LoadU(d, w + k + kLanes), odd);
    }
    float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
    for (; k < inner; ++k) sum += row[k] * w[k];
    out[r] = sum + bias;
  }
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

double fma_loop(long steps, float* sink) {
  const hn::ScalableTag<float> d;
  const auto x = hn::Set(d, 0.999f), y = hn::Set(d, 1e-3f);
  constexpr int kChains = 12;
  hn::Vec<decltype(d)> sum[kChains];
  for (int i = 0; i < kChains; ++i) sum[i] = hn::Set(d, float(i));
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

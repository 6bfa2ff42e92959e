#include "penumbra/nn/gru_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "penumbra/nn/gru_kernels.cpp"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>  // keep before highway.h
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "penumbra/nn/aligned.h"

HWY_BEFORE_NAMESPACE();
namespace penumbra::nn {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kPanel>;
using Vector = hn::Vec<Tag>;

HWY_INLINE Vector sigmoid(Tag d, Vector x) {
  const Vector one = hn::Set(d, 1.0f), most = hn::Set(d, 80.0f);
  return hn::Div(one, hn::Add(one, hn::Exp(d, hn::Min(hn::Neg(x), most))));
}

// 2 sigmoid(2x) - 1: off by at most a rounding of 1.
HWY_INLINE Vector hyperbolic(Tag d, Vector x) {
  return hn::Sub(hn::Mul(hn::Set(d, 2.0f), sigmoid(d, hn::Add(x, x))), hn::Set(d, 1.0f));
}

void forward(const GruForward& g) {
  const Tag d;
  const size_t w = g.width, lanes = hn::Lanes(d);
  for (int r = 0; r < g.rows; ++r) {
    float* gates = g.gates + r * g.gates_row;
    const float* side = g.side + r * g.side_row;
    for (size_t c = 0; c < w; c += lanes) {
      const Vector reset = sigmoid(d, hn::Add(hn::LoadU(d, gates + c), hn::LoadU(d, side + c)));
      const Vector keep =
          sigmoid(d, hn::Add(hn::LoadU(d, gates + w + c), hn::LoadU(d, side + w + c)));
      const Vector side_n = hn::LoadU(d, side + 2 * w + c);
      const Vector fresh =
          hyperbolic(d, hn::MulAdd(reset, side_n, hn::LoadU(d, gates + 2 * w + c)));
      const Vector prior = hn::LoadU(d, g.prior + r * g.row + c);
      hn::StoreU(reset, d, gates + c);
      hn::StoreU(keep, d, gates + w + c);
      hn::StoreU(fresh, d, gates + 2 * w + c);
      hn::StoreU(side_n, d, g.side_n + r * g.row + c);
      hn::StoreU(hn::MulAdd(keep, hn::Sub(prior, fresh), fresh), d, g.memory + r * g.row + c);
    }
  }
}

void backward(const GruBackward& g) {
  const Tag d;
  const Vector one = hn::Set(d, 1.0f);
  const size_t w = g.width, lanes = hn::Lanes(d);
  for (int r = 0; r < g.rows; ++r) {
    float* gates = g.gates + r * g.gates_row;
    for (size_t c = 0; c < w; c += lanes) {
      const size_t at = r * g.row + c;
      const Vector slope = hn::LoadU(d, g.slope + at), prior = hn::LoadU(d, g.prior + at);
      const Vector side_n = hn::LoadU(d, g.side_n + at);
      const Vector reset = hn::LoadU(d, gates + c), keep = hn::LoadU(d, gates + w + c);
      const Vector fresh = hn::LoadU(d, gates + 2 * w + c);
      const Vector by_keep =
          hn::Mul(hn::Mul(slope, hn::Sub(prior, fresh)), hn::Mul(keep, hn::Sub(one, keep)));
      const Vector by_fresh =
          hn::Mul(hn::Mul(slope, hn::Sub(one, keep)), hn::Sub(one, hn::Mul(fresh, fresh)));
      const Vector by_reset =
          hn::Mul(hn::Mul(by_fresh, side_n), hn::Mul(reset, hn::Sub(one, reset)));
      hn::StoreU(by_reset, d, gates + c);
      hn::StoreU(by_keep, d, gates + w + c);
      hn::StoreU(by_fresh, d, gates + 2 * w + c);
      hn::StoreU(hn::Mul(by_fresh, reset), d, g.side_n + at);
      hn::StoreU(hn::Mul(slope, keep), d, g.carry + at);
    }
  }
}

GruKernels make_gru_kernels() {
  return {forward, backward};
}

}  // namespace HWY_NAMESPACE
}  // namespace penumbra::nn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penumbra::nn {

HWY_EXPORT(make_gru_kernels);

const GruKernels& gru_kernels() {
  static const GruKernels table = HWY_DYNAMIC_DISPATCH(make_gru_kernels)();
  return table;
}

}  // namespace penumbra::nn
#endif

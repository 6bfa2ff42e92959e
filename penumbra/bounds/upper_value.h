// What b0 is worth at most, by V_mdp: the mean over b0 of what a known state is worth, or less by
// search.
#pragma once

#include "penumbra/bounds/mdp_value.h"

namespace penumbra {

// How far an upper value at b0 can be trusted.
enum class UpperKind {
  kEstimate,  // made by a fit or by networks: no bound
  kSampled,   // the upper end of the 95 % interval of a mean over draws that is a bound
  kProven,    // never below the optimum
};
const char* name_of(UpperKind kind);  // "estimate", "sampled", "proven"

struct UpperValue {
  double value = 0;
  UpperKind kind = UpperKind::kEstimate;

  template <class Archive>
  void archive(Archive& a) {
    a(value, kind);
  }
};

// Exact where V_mdp knows its mean over b0 (MdpValue::start_value), sampled otherwise.
UpperValue upper_at_start(const Pomdp& model, const MdpValue& values, RngKey key);

}  // namespace penumbra

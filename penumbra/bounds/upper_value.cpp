#include "penumbra/bounds/upper_value.h"

#include "penumbra/base/moments.h"

namespace penumbra {

const char* name_of(UpperKind kind) {
  switch (kind) {
    case UpperKind::kEstimate:
      return "estimate";
    case UpperKind::kSampled:
      return "sampled";
    case UpperKind::kProven:
      return "proven";
  }
  return "";
}

UpperValue upper_at_start(const Pomdp& model, const MdpValue& values, RngKey key) {
  if (const auto exact = values.start_value())
    return {*exact, values.proven() ? UpperKind::kProven : UpperKind::kEstimate};
  constexpr size_t kStates = 16'384;
  RecordBuffer states(model.state_size(), kStates);
  model.sample_initial({key}, states);
  std::vector<double> value(kStates);
  values.value(states, value);
  Moments moments;
  for (double v : value) moments.add(v);
  const Estimate mean = moments.estimate();
  if (!values.proven()) return {mean.mean, UpperKind::kEstimate};
  return {mean.high, UpperKind::kSampled};
}

}  // namespace penumbra

#include "penumbra/solvers/anchors/inputs.h"

namespace penumbra::anchors {

Inputs::Seen Inputs::look_at(const Pomdp& model, ConstRecords states) {
  Seen seen{FeatureBatch(model.features(), static_cast<int>(states.count)), {}};
  model.encode(states, seen.features);
  if (model.has(Capability::kCoordinates)) {
    seen.x.resize(states.count * model.num_coordinates());
    model.coordinates(states, seen.x);
  } else {
    seen.x.assign(seen.features.dense().begin(), seen.features.dense().end());
  }
  return seen;
}

Inputs::Inputs(const Pomdp& model, ConstRecords sample) : Inputs(model, look_at(model, sample)) {}

Inputs::Inputs(const Pomdp& model, const Seen& sample)
    : model_(&model),
      coordinates_(model.has(Capability::kCoordinates)),
      keys_(sample.features, sample.x,
            coordinates_ ? model.num_coordinates() : sample.features.layout().num_dense,
            !coordinates_) {}

InputRows Inputs::encode(ConstRecords states) const {
  const Seen seen = look_at(*model_, states);
  return keys_.encode(seen.features, seen.x);
}

}  // namespace penumbra::anchors

#include "penumbra/model/decorated.h"

namespace penumbra {

void Decorated::sample_initial(Streams streams, Records out) const {
  inner().sample_initial(streams, out);
}
void Decorated::is_terminal(ConstRecords state, std::span<uint8_t> out) const {
  inner().is_terminal(state, out);
}
void Decorated::step(ConstRecords state, ConstRecords action, Streams streams,
                     const StepResults& out) const {
  inner().step(state, action, streams, out);
}
FeatureLayout Decorated::features() const {
  return inner().features();
}
void Decorated::encode(ConstRecords state, FeatureBatch& out, int first_row) const {
  inner().encode(state, out, first_row);
}
void Decorated::likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                           std::span<double> out) const {
  inner().likelihood(seen, action, next, out);
}
void Decorated::cumulative(float bound, int coordinate, const std::byte* action, ConstRecords next,
                           std::span<double> out) const {
  inner().cumulative(bound, coordinate, action, next, out);
}
void Decorated::mdp_value(ConstRecords state, std::span<double> out) const {
  inner().mdp_value(state, out);
}
Tabular Decorated::table() const {
  return inner().table();
}
void Decorated::state_index(ConstRecords state, std::span<int> out) const {
  inner().state_index(state, out);
}
void Decorated::perturb(ConstRecords state, Streams streams, Records out) const {
  inner().perturb(state, streams, out);
}
int Decorated::num_coordinates() const {
  return inner().num_coordinates();
}
void Decorated::coordinates(ConstRecords state, std::span<float> out) const {
  inner().coordinates(state, out);
}
void Decorated::from_coordinates(std::span<const float> values, Records out) const {
  inner().from_coordinates(values, out);
}
Scene Decorated::scene() const {
  return inner().scene();
}
void Decorated::scene_values(ConstRecords state, std::span<float> out) const {
  inner().scene_values(state, out);
}
std::string Decorated::draw(const std::byte* state) const {
  return inner().draw(state);
}
std::string Decorated::describe_state(const std::byte* state) const {
  return inner().describe_state(state);
}

}  // namespace penumbra

#include "penumbra/model/coordinate_scene.h"

#include <fmt/format.h>

namespace penumbra {

CoordinateScene::CoordinateScene(const Pomdp& model) : Decorated(model) {
  set_facts(model.facts(), model.capabilities() | Capability::kScene, model.state_size(),
            model.seen_size(), model.action_size());
}

Scene CoordinateScene::scene() const {
  Scene scene{.kind = "points", .fields = {}, .cloud_fields = inner().num_coordinates()};
  for (int c = 0; c < inner().num_coordinates(); ++c)
    scene.fields.push_back(fmt::format("x{}", c + 1));
  return scene;
}

void CoordinateScene::scene_values(ConstRecords state, std::span<float> out) const {
  inner().coordinates(state, out);
}

bool is_drawn_by_coordinates(const Pomdp& model) {
  return !model.has(Capability::kScene) && model.has(Capability::kCoordinates) &&
         (model.has(Capability::kLikelihood) || model.has(Capability::kFiniteObservations));
}

}  // namespace penumbra

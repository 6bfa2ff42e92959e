// A drawing for a model that has none of its own: its coordinates as points, beliefs as clouds of
// them. The kind of the scene is "points".
#pragma once

#include "penumbra/model/decorated.h"

namespace penumbra {

// A view: the model outlives it.
class CoordinateScene final : public Decorated {
 public:
  explicit CoordinateScene(const Pomdp& model);

  Scene scene() const override;
  void scene_values(ConstRecords state, std::span<float> out) const override;
};

// Whether it helps: there are coordinates, no scene, and a filter can follow the belief.
bool is_drawn_by_coordinates(const Pomdp& model);

}  // namespace penumbra

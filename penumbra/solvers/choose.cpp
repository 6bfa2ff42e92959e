#include "penumbra/solvers/choose.h"

#include <fmt/format.h>

#include "penumbra/model/abstraction.h"

namespace penumbra {
namespace {

constexpr int kMostStates = 1 << 18;  // of a table; sarsop is ahead of nvi up to there
constexpr int kMostCoordinates = 2;   // of a grid; with more nvi is ahead at its anchors

}  // namespace

SolverChoice choose_solver(const Pomdp& model, bool controller) {
  const Capabilities finite = Capability::kFiniteActions | Capability::kFiniteObservations;
  if (!model.has(Capability::kFiniteActions)) {
    if (model.has(Capability::kFiniteObservations | Capability::kFeatures))
      return {"nvi", "its actions are continuous, and states have features"};
    return {"mcvi", "its actions are continuous, and states have no features"};
  }
  if (!controller && model.has(finite | Capability::kTable)) {
    const int states = model.table_states();
    if (states <= kMostStates)
      return {"sarsop", fmt::format("it has a table of {} states", states)};
  }
  if (model.has(abstraction_needs()) && model.num_coordinates() <= kMostCoordinates)
    return {"cells", fmt::format("its states have {} coordinate{} and observations likelihoods",
                                 model.num_coordinates(), model.num_coordinates() == 1 ? "" : "s")};
  const std::string why = controller ? "the policy has to be a controller, and states have "
                                     : "it has no small table or grid, and states have ";
  if (model.has(finite | Capability::kFeatures)) return {"nvi", why + "features"};
  return {"mcvi", why + "no features"};
}

}  // namespace penumbra

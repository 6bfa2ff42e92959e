#include "penumbra/model/state_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {

StateGrid::StateGrid(std::unique_ptr<Pomdp> inner_model, std::vector<double> steps)
    : Decorated(std::move(inner_model)), steps_(std::move(steps)) {
  require(inner(), Capability::kCoordinates, "a state grid");
  if (steps_.size() != inner().num_coordinates())
    throw Error(fmt::format("{}: the grid has {} steps for {} coordinates", inner().facts().name,
                            steps_.size(), inner().num_coordinates()));
  for (double step : steps_)
    if (!(step >= 0 && std::isfinite(step)))
      throw Error(fmt::format("{}: {} is not a grid step", inner().facts().name, step));
  if (std::none_of(steps_.begin(), steps_.end(), [](double step) { return step > 0; }))
    throw Error(fmt::format("{}: a grid whose steps are all 0 changes nothing; give a step above 0",
                            inner().facts().name));
  // What the inner model says of its own states is not exact for the middle of a cell.
  const Capabilities lost = Capabilities(Capability::kTable) | Capability::kLikelihood |
                            Capability::kCumulative | Capability::kMdpValue;
  set_facts(inner().facts(), inner().capabilities().without(lost), inner().state_size(),
            inner().seen_size(), inner().action_size());
}

void StateGrid::snap(Records states) const {
  std::vector<float> x(states.count * steps_.size());
  std::vector<uint8_t> ended(states.count);
  inner().is_terminal(states, ended);
  inner().coordinates(states, x);
  for (size_t i = 0; i < x.size(); ++i) {
    const double step = steps_[i % steps_.size()];
    if (step > 0) x[i] = static_cast<float>((std::floor(x[i] / step) + 0.5) * step);
  }
  RecordBuffer snapped(states.size, states.count);
  inner().from_coordinates(x, snapped);
  for (size_t i = 0; i < states.count; ++i)
    if (!ended[i]) std::memcpy(states.at(i), snapped.at(i), states.size);
}

void StateGrid::sample_initial(Streams streams, Records out) const {
  inner().sample_initial(streams, out);
  snap(out);
}

void StateGrid::step(ConstRecords state, ConstRecords action, Streams streams,
                     const StepResults& out) const {
  inner().step(state, action, streams, out);
  snap(out.next);
  inner().is_terminal(out.next, out.ended);
}

}  // namespace penumbra

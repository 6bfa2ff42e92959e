#include "penumbra/solvers/mcvi/first_actions.h"

#include <cmath>

namespace penumbra::mcvi {

FirstActions::FirstActions(const Pomdp& model, int count, int tried)
    : model_(model), tried_(tried) {
  if (!model.has(Capability::kFiniteActions))
    stock_.emplace(model, first_actions(model.facts(), count));
}

NodeAction FirstActions::action(int number) const {
  if (!stock_) return {number, {}};
  const std::span<const float> row = stock_->row(number);
  return {0, std::vector<float>(row.begin(), row.end())};
}

std::optional<controller::SequencePlan> FirstActions::plan(const MdpValue& values) const {
  if (!stock_) return std::nullopt;
  return controller::SequencePlan(model_, values, stock_->rows(0, stock_->count()));
}

std::vector<NodeAction> FirstActions::proposed(const LikelihoodController& controller, int node,
                                               const NodeAction& done, RngKey key) const {
  constexpr double kNearest = 0.01, kFarthest = 0.3;  // deviations in widths of the box
  std::vector<NodeAction> out;
  if (!stock_) {
    for (int a = 0; a < count(); ++a) out.push_back({a, {}});
    return out;
  }
  if (!done.real.empty()) out.push_back(done);
  if (node >= 0) out.push_back({0, controller.nodes[node]->real_action});
  const size_t wanted = out.size();
  Rng rng(key, 0);
  for (int turn = 0; static_cast<int>(out.size()) < tried_; ++turn) {
    NodeAction next = action(static_cast<int>(rng.below(static_cast<uint32_t>(count()))));
    if (turn % 4 == 1)
      next.real =
          controller.nodes[rng.below(static_cast<uint32_t>(controller.num_nodes()))]->real_action;
    if (turn % 4 == 2 && wanted > 0)
      draw_near(model_.facts(), out[rng.below(static_cast<uint32_t>(wanted))].real,
                kNearest * std::pow(kFarthest / kNearest, rng.uniform()), rng, next.real);
    if (turn % 4 == 3) draw_in_box(model_.facts(), rng, next.real);
    out.push_back(std::move(next));
  }
  return out;
}

}  // namespace penumbra::mcvi

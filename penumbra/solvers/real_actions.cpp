#include "penumbra/solvers/real_actions.h"

#include "penumbra/policy/fnc.h"

namespace penumbra {

std::unique_ptr<ActionStock> own_stock(const Pomdp& model) {
  const auto* stock = dynamic_cast<const ActionStock*>(&model);
  return stock ? std::make_unique<ActionStock>(*stock) : nullptr;
}

Fsc with_real_actions(Fsc fsc, const ActionStock& stock) {
  if (fsc.action_width > 0) return fsc;
  fsc.action_width = stock.width();
  const std::span<const float> rows = stock.rows(0, stock.count());
  fsc.action_values.assign(rows.begin(), rows.end());
  fsc.drop_unused_actions();
  return fsc;
}

Solution with_real_actions(Solution solution, const ActionStock& stock) {
  const auto* fnc = policy_as<Fnc>(solution.policy);
  if (!fnc || fnc->fsc.action_width > 0) return solution;
  auto real = std::make_shared<Fnc>(*fnc);
  real->fsc = with_real_actions(fnc->fsc, stock);
  solution.policy = std::move(real);
  return solution;
}

}  // namespace penumbra

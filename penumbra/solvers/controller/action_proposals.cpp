#include "penumbra/solvers/controller/action_proposals.h"

#include <algorithm>
#include <cmath>

namespace penumbra::controller {
namespace {

constexpr double kNearest = 0.01, kFarthest = 0.3;  // deviations in widths of the box

}  // namespace

std::vector<int> proposed_actions(ActionStock& stock, const Fsc& fsc, std::vector<int> wanted,
                                  int count, RngKey key) {
  std::vector<int> actions;
  auto add = [&](int action) {
    if (std::find(actions.begin(), actions.end(), action) == actions.end())
      actions.push_back(action);
  };
  for (int action : wanted) add(action);
  const size_t given = actions.size();
  const Facts& box = stock.inner().facts();
  std::vector<float> drawn(stock.width());
  Rng rng(key.fold("proposed"), 0);
  for (int turn = 0; turn < 4 * count && static_cast<int>(actions.size()) < count; ++turn) {
    switch (turn % 4) {
      case 0:
        add(static_cast<int>(rng.below(stock.num_first())));
        break;
      case 1:
        add(fsc.action[rng.below(static_cast<uint32_t>(fsc.num_nodes()))]);
        break;
      case 2: {
        if (given == 0) break;
        const int centre = actions[rng.below(static_cast<uint32_t>(given))];
        const double scale = kNearest * std::pow(kFarthest / kNearest, rng.uniform());
        const std::vector<float> around(stock.row(centre).begin(), stock.row(centre).end());
        draw_near(box, around, scale, rng, drawn);
        add(stock.append(drawn));
        break;
      }
      default:
        draw_in_box(box, rng, drawn);
        add(stock.append(drawn));
    }
  }
  return actions;
}

}  // namespace penumbra::controller

#include "penumbra/solvers/pomcgs/guess.h"

#include <algorithm>
#include <cmath>

namespace penumbra::pomcgs {

void Guess::draw(const Supports& supports, const Node& node, Rng& rng) {
  const RowView row = node.row();
  double u = rng.uniform();
  size_t i = 0;
  while (i + 1 < row.count && (u -= row.weight[i]) >= 0) ++i;
  cell_ = supports[node.support].cells[row.place(i)];
}

int Guess::place(const Supports& supports, const Node& node) const {
  const auto& cells = supports[node.support].cells;
  const auto at = std::lower_bound(cells.begin(), cells.end(), cell_);
  return at != cells.end() && *at == cell_ ? static_cast<int>(at - cells.begin()) : -1;
}

int Guess::choose(const Supports& supports, const Node& node, double discount, Rng& rng) {
  constexpr double kTie = 1e-5;
  const int s = place(supports, node);
  if (s < 0) {
    drop();
    return -1;
  }
  int best = -1;
  double best_value = -HUGE_VAL, ties = 0;
  for (size_t c = 0; c < node.choices.size(); ++c) {
    const Transit& t = supports.transit(node.support, node.choices[c].action);
    double future = 0;
    for (uint32_t e = t.row[s]; e < t.row[s + 1]; ++e)
      future += double(t.share[e]) * supports[t.to].mdp[t.next[e]];
    const double value = t.reward[s] + discount * future;
    ties = value > best_value + kTie ? 1 : ties + (value >= best_value - kTie);
    if (value < best_value - kTie) continue;
    if (value > best_value + kTie || rng.uniform() * ties < 1) best = static_cast<int>(c);
    best_value = std::max(best_value, value);
  }
  return best;
}

int Guess::step(const Supports& supports, const Node& node, int action, Rng& rng) {
  const int s = place(supports, node);
  const Transit& t = supports.transit(node.support, action);
  drop();
  if (s < 0 || t.to < 0) return -1;
  double u = rng.uniform();
  for (uint32_t e = t.row[s]; e < t.row[s + 1]; ++e) {
    if ((u -= t.share[e]) >= 0) continue;
    const Support& to = supports[t.to];
    cell_ = to.cells[t.next[e]];
    double v = rng.uniform();
    for (size_t k = 0; k < t.seen.size(); ++k)
      if ((v -= t.chance[k * to.count() + t.next[e]]) < 0) return t.seen[k];
    return -1;
  }
  return -1;
}

}  // namespace penumbra::pomcgs

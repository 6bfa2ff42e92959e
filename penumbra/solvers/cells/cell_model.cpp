#include "penumbra/solvers/cells/cell_model.h"

#include <algorithm>
#include <cmath>

namespace penumbra::cells {
namespace {

constexpr int kMostSweeps = 1000;
constexpr float kConverged = 1e-4f;

float difference(const std::vector<float>& a, const std::vector<float>& b) {
  float most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace

CellModel::CellModel(const Tabular& table, ThreadPool& pool)
    : num_observations_(table.num_observations), discount_(static_cast<float>(table.discount)) {
  std::vector<int> cell(table.num_states, -1);
  for (int s = 0; s < table.num_states; ++s) {
    if (table.terminal[s]) continue;
    cell[s] = num_cells();
    start_.push_back(static_cast<float>(table.start[s]));
  }
  bool alike = true;
  for (const SparseRows& rows : table.observation) alike = alike && rows == table.observation[0];
  for (int a = 0; a < table.num_actions; ++a) {
    Rows& next = transition_.emplace_back();
    std::vector<float>& reward = reward_.emplace_back();
    Rows* seen = a == 0 || !alike ? &observation_.emplace_back() : nullptr;
    for (int s = 0; s < table.num_states; ++s) {
      if (cell[s] < 0) continue;
      reward.push_back(static_cast<float>(table.reward[a][s]));
      for (const SparseRows::Entry& e : table.transition[a].row(s))
        if (cell[e.column] >= 0) next.add(cell[e.column], e.value);
      next.end_row();
      if (!seen) continue;
      for (const SparseRows::Entry& e : table.observation[a].row(s)) seen->add(e.column, e.value);
      seen->end_row();
    }
  }
  solve_mdp(pool);
}

std::vector<float> CellModel::back_up(int action, const std::vector<float>& ahead) const {
  std::vector<float> value = reward_[action];
  const Rows& rows = transition_[action];
  for (int c = 0; c < num_cells(); ++c) {
    float sum = 0;
    for (const Entry& e : rows[c]) sum += e.chance * ahead[e.index];
    value[c] += discount_ * sum;
  }
  return value;
}

std::vector<float> CellModel::repeated(int action) const {
  std::vector<float> value(num_cells(), 0);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    std::vector<float> better = back_up(action, value);
    const float change = difference(better, value);
    value = std::move(better);
    if (change < kConverged) break;
  }
  return value;
}

void CellModel::solve_mdp(ThreadPool& pool) {
  std::vector<float> value(num_cells(), 0);
  q_mdp_.resize(num_actions());
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    pool.for_chunks(num_actions(), 1, [&](size_t a, size_t, size_t) {
      q_mdp_[a] = back_up(static_cast<int>(a), value);
    });
    std::vector<float> better = q_mdp_[0];
    for (const std::vector<float>& q : q_mdp_)
      for (size_t c = 0; c < q.size(); ++c) better[c] = std::max(better[c], q[c]);
    const float change = difference(better, value);
    value = std::move(better);
    if (change < kConverged) break;
  }
}

}  // namespace penumbra::cells

#include "penumbra/bounds/explicit_bounds.h"

#include <algorithm>
#include <cmath>

namespace penumbra {
namespace {

constexpr int kMaxSweeps = 20'000;
constexpr double kMaxWork = 4e9;      // multiplications; the bound is looser where it is reached
constexpr double kBetweenAsks = 2e5;  // multiplications
constexpr double kInformedAsks = 16;  // backups of the fast informed bound

// R(., a) + discount * sum over s' of T(s' | ., a) values(s').
void back_up(const MixedModel& m, int part, int action, const PartValues& values,
             std::vector<double>& out) {
  const double* reward = m.reward(part, action);
  out.assign(reward, reward + m.size(part));
  for (const MixedModel::Branch& branch : m.branches(part, action))
    m.pull(branch, m.size(part), values[branch.part].data(), m.discount(), out.data());
}

double work_of_backup(const MixedModel& m, int part, int action) {
  double work = 1;
  for (const MixedModel::Branch& branch : m.branches(part, action))
    work += static_cast<double>(branch.identity ? m.size(part) : branch.column.size());
  return work;
}

double work_of_sweep(const MixedModel& m) {
  double work = 1;
  for (int p = 0; p < m.num_parts(); ++p)
    for (int a = 0; a < m.num_actions(); ++a) work += work_of_backup(m, p, a) - 1;
  return work;
}

PartValues zeros(const MixedModel& m) {
  PartValues values(m.num_parts());
  for (int p = 0; p < m.num_parts(); ++p) values[p].assign(m.size(p), 0.0);
  return values;
}

double magnitude(const PartValues& values) {
  double largest = 0;
  for (const auto& part : values)
    for (double v : part) largest = std::max(largest, std::abs(v));
  return largest;
}

struct Change {
  double low = 0, high = 0;  // of new minus old
};

// Values of the best action, or of one. In place, so that good news spreads within a sweep. Ends
// between two parts when it is stopped.
Change sweep(const MixedModel& m, int only_action, bool store, PacedStop& stop,
             PartValues& values) {
  Change change;
  std::vector<double> best, q;
  for (int p = 0; p < m.num_parts(); ++p) {
    const int first = only_action < 0 ? 0 : only_action;
    const int last = only_action < 0 ? m.num_actions() - 1 : only_action;
    for (int a = first; a <= last; ++a) {
      back_up(m, p, a, values, a == first ? best : q);
      if (stop.after(work_of_backup(m, p, a))) return change;
      for (size_t y = 0; y < best.size() && a > first; ++y) best[y] = std::max(best[y], q[y]);
    }
    for (size_t y = 0; y < best.size(); ++y) {
      change.low = std::min(change.low, best[y] - values[p][y]);
      change.high = std::max(change.high, best[y] - values[p][y]);
    }
    if (store) values[p].swap(best);
  }
  return change;
}

PartValues iterate(const MixedModel& m, int only_action, bool from_above, double precision,
                   const Stop& asked) {
  PartValues values = zeros(m);
  const double work = work_of_sweep(m) / (only_action < 0 ? 1 : m.num_actions());
  const int sweeps = static_cast<int>(std::clamp(kMaxWork / work, 50.0, double(kMaxSweeps)));
  const double range = std::max(std::abs(m.max_reward()), std::abs(m.min_reward()));
  PacedStop stop(asked, kBetweenAsks);
  // Bounds the residual without another sweep: a part is its own backup when it is stored, and
  // what changes since then counts discounted.
  Change residual{std::min(0.0, m.min_reward()), std::max(0.0, m.max_reward())};
  for (int i = 0; i < sweeps && !stop.stopped(); ++i) {
    const Change change = sweep(m, only_action, true, stop, values);
    if (!stop.stopped()) residual = {};
    residual.low += m.discount() * change.low;
    residual.high += m.discount() * change.high;
    if (std::max(change.high, -change.low) <= precision * range * (1 - m.discount())) break;
  }
  // One look without storing: the residual of `values` as they are.
  if (!stop.stopped()) {
    const Change look = sweep(m, only_action, false, stop, values);
    if (!stop.stopped()) residual = look;
  }
  const double rounding = 1e-13 * magnitude(values);
  const double shift = from_above ? residual.high / (1 - m.discount()) + rounding
                                  : residual.low / (1 - m.discount()) - rounding;
  for (auto& part : values)
    for (double& v : part) v += shift;
  if (!stop.stopped()) return values;
  // The best or worst reward for ever is on the right side of its backup too, hence so is the
  // tighter of both.
  const double ever = (from_above ? std::max(0.0, m.max_reward()) : std::min(0.0, m.min_reward())) /
                      (1 - m.discount());
  for (auto& part : values)
    for (double& v : part) v = from_above ? std::min(v, ever) : std::max(v, ever);
  return values;
}

// The right-hand side of the fast informed bound for one (part, action, hidden state).
class InformedBackup {
 public:
  InformedBackup(const MixedModel& m, const PartActionValues& q, const PartValues& best)
      : m_(m), q_(q), best_(best) {}

  double operator()(int part, int action, int y) {
    double later = 0;
    for (const MixedModel::Branch& branch : m_.branches(part, action)) {
      if (branch.identity) {
        later += best_[branch.part][y];
        continue;
      }
      const int from = branch.start[y], to = branch.start[y + 1];
      if (to - from == 1)
        later += branch.chance[from] * best_[branch.part][branch.column[from]];
      else if (to > from)
        later += several(branch, action, from, to);
    }
    return m_.reward(part, action)[y] + m_.discount() * later;
  }

 private:
  // sum over o of max over a' of sum over y' of T(y') O(o | y') Q(y', a').
  double several(const MixedModel::Branch& branch, int action, int from, int to) {
    const MixedModel::Sights& sights = m_.sights(branch.part, action);
    const int actions = m_.num_actions(), n = m_.size(branch.part);
    const size_t outcomes = sights.seen.size();
    sums_.assign(outcomes * actions, 0.0);
    auto add = [&](size_t outcome, double chance, int next) {
      double* sum = &sums_[outcome * actions];
      for (int a = 0; a < actions; ++a) sum[a] += chance * q_[branch.part][a][next];
    };
    for (int e = from; e < to; ++e) {
      const int next = branch.column[e];
      const double p = branch.chance[e];
      if (sights.certain)
        add(0, p, next);
      else if (!sights.table.empty())
        for (size_t o = 0; o < outcomes; ++o) {
          if (const double seen = sights.table[o * n + next]; seen > 0) add(o, p * seen, next);
        }
      else
        for (int s = sights.start[next]; s < sights.start[next + 1]; ++s)
          add(sights.outcome[s], p * sights.chance[s], next);
    }
    double total = 0;
    for (size_t o = 0; o < outcomes; ++o)
      total += *std::max_element(&sums_[o * actions], &sums_[o * actions] + actions);
    return total;
  }

  const MixedModel& m_;
  const PartActionValues& q_;
  const PartValues& best_;
  std::vector<double> sums_;
};

}  // namespace

PartValues mdp_bound(const MixedModel& model, double precision, const Stop& stop) {
  return iterate(model, -1, true, precision, stop);
}

PartActionValues qmdp_bound(const MixedModel& model, const PartValues& values, const Stop& asked) {
  PacedStop stop(asked, kBetweenAsks);
  PartActionValues q(model.num_parts());
  for (int p = 0; p < model.num_parts(); ++p) {
    q[p].resize(model.num_actions());
    for (int a = 0; a < model.num_actions(); ++a) {
      if (stop.stopped()) {
        q[p][a] = values[p];  // no action is worth more than the state
        continue;
      }
      back_up(model, p, a, values, q[p][a]);
      stop.after(work_of_backup(model, p, a));
    }
  }
  return q;
}

PartActionValues fast_informed_bound(const MixedModel& m, double precision, const Stop& asked) {
  PartValues best = mdp_bound(m, precision, asked);
  PartActionValues q = qmdp_bound(m, best, asked);
  PacedStop stop(asked, kInformedAsks);
  InformedBackup back_up(m, q, best);
  auto refresh = [&](int p, int y) {
    double top = q[p][0][y];
    for (int a = 1; a < m.num_actions(); ++a) top = std::max(top, q[p][a][y]);
    best[p][y] = top;
  };
  for (int p = 0; p < m.num_parts(); ++p)
    for (int y = 0; y < m.size(p); ++y) refresh(p, y);
  const double range = std::max(std::abs(m.max_reward()), std::abs(m.min_reward()));
  const double tolerance = precision * range * (1 - m.discount());
  const double work = 10 * work_of_sweep(m) * m.num_actions();
  const int sweeps = static_cast<int>(std::clamp(kMaxWork / work, 20.0, double(kMaxSweeps)));
  // Q_mdp is not below its own backup, and backups in place keep that true: proven at every stop.
  for (int i = 0; i < sweeps && !stop.stopped(); ++i) {
    double fall = 0;
    for (int p = 0; p < m.num_parts(); ++p)
      for (int y = 0; y < m.size(p) && !stop.after(m.num_actions()); ++y) {
        for (int a = 0; a < m.num_actions(); ++a) {
          const double next = back_up(p, a, y);
          fall = std::max(fall, q[p][a][y] - next);
          q[p][a][y] = std::min(q[p][a][y], next);
        }
        refresh(p, y);
      }
    if (fall <= tolerance) break;
  }
  const double rounding = 1e-13 * magnitude(best);
  for (auto& part : q)
    for (auto& action : part)
      for (double& v : action) v += rounding;
  return q;
}

PartActionValues blind_bound(const MixedModel& model, double precision, const Stop& stop) {
  PartActionValues q(model.num_parts());
  for (auto& part : q) part.resize(model.num_actions());
  for (int a = 0; a < model.num_actions(); ++a) {
    PartValues values = iterate(model, a, false, precision, stop);
    for (int p = 0; p < model.num_parts(); ++p) q[p][a] = std::move(values[p]);
  }
  return q;
}

}  // namespace penumbra

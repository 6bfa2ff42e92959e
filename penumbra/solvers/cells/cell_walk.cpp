#include "penumbra/solvers/cells/cell_walk.h"

#include <algorithm>
#include <cmath>

#include "penumbra/solvers/cells/dense_sums.h"

namespace penumbra::cells {
namespace {

constexpr int kLongestBurst = 12;     // steps
constexpr double kWeightless = 0.02;  // discount at which a walk ends
constexpr float kNegligible = 1e-6f;  // share of a belief that is dropped
constexpr size_t kJudges = 2048;      // cells that stand for a belief when plans are compared,
constexpr size_t kScouts = 256;       // and when actions are tried
constexpr int kActions = 5;           // that a backup tries, at most
constexpr int kLongestLook = 8;       // steps to where something is seen
constexpr int kLongestPlan = 40;      // steps that are taken blindly, in thought
constexpr int kPlans = 3;             // such plans
constexpr size_t kLookers = 128;      // cells that show what is seen there
constexpr double kDuty = 0.25;        // what a place of the least value still counts
constexpr int kManySeen = 32;         // observations that make matrix products worthwhile

struct Belief {
  std::vector<int> cell;
  std::vector<float> weight;
  size_t size() const { return cell.size(); }
};

class Walker {
 public:
  Walker(const CellModel& model, const CellVectors& vectors, float least_rise,
         const Exploration& exploration, RngKey key, const std::function<bool()>& stop)
      : model_(model),
        vectors_(vectors),
        least_rise_(least_rise),
        exploration_(exploration),
        rng_(key, 0),
        stop_(stop),
        mass_(model.num_cells(), 0) {}

  CellWalk run() {
    go_down();
    while (!path_.empty() && !walk_.stopped) {
      walk_.stopped = stop_();
      back_up(path_.back());
      path_.pop_back();
    }
    return std::move(walk_);
  }

 private:
  struct Point {
    Belief judges;
    int best = 0;  // vector
    float value = 0;
    int action = -1;  // that was taken
  };
  struct Choice {
    double value = -HUGE_VAL;
    int action = -1;
    std::vector<int> next;
  };

  void go_down() {
    Belief b;
    for (int c = 0; c < model_.num_cells(); ++c)
      if (model_.start()[c] > 0) {
        b.cell.push_back(c);
        b.weight.push_back(model_.start()[c]);
      }
    int burst = 0, repeated = -1;
    const bool informs = exploration_.inform > 0 && rng_.bernoulli(exploration_.inform);
    const double risk = informs ? 0.1 + 0.5 * rng_.uniform() : 0;
    for (double weight = 1; weight > kWeightless && b.size() > 0; weight *= model_.discount()) {
      if ((walk_.stopped = stop_())) return;
      Point& point = path_.emplace_back();
      point.judges = thinned(b, kJudges);
      compare(point);
      if (burst > 0) {
        --burst;
      } else if (rng_.bernoulli(exploration_.bursts)) {
        burst = 1 + static_cast<int>(rng_.below(kLongestBurst));
        repeated = rng_.bernoulli(exploration_.random)
                       ? static_cast<int>(rng_.below(static_cast<uint32_t>(model_.num_actions())))
                       : -1;
      }
      int action = vectors_[point.best].action;
      if (burst > 0) action = repeated >= 0 ? repeated : by_mdp_value(point.judges).front();
      if (informs) action = informed(point.judges, risk);
      point.action = action;
      b = observed(push(b, action), action);
    }
  }

  // I(O; S) of a belief after an action.
  double information(const Belief& b, int action) {
    const CellModel::Rows& rows = model_.observation(action);
    chance_.assign(model_.num_observations(), 0);
    double known = 0, total = 0;
    for (size_t i = 0; i < b.size(); ++i) {
      total += b.weight[i];
      for (const CellModel::Entry& e : rows[b.cell[i]]) {
        const float joint = b.weight[i] * e.chance;
        chance_[e.index] += joint;
        known += joint * std::log(e.chance);
      }
    }
    double sum = known;
    for (double p : chance_)
      if (p > 0) sum -= p * std::log(p / total);
    return sum;
  }

  float mdp_value(const Belief& b) const {
    float sum = 0;
    for (size_t i = 0; i < b.size(); ++i) sum += b.weight[i] * best_q(b.cell[i]).first;
    return sum;
  }
  std::pair<float, int> best_q(int cell) const {
    std::pair<float, int> best{-HUGE_VALF, 0};
    for (int a = 0; a < model_.num_actions(); ++a)
      if (model_.q_mdp(a)[cell] > best.first) best = {model_.q_mdp(a)[cell], a};
    return best;
  }

  // What the belief is worth if what is best for one cell is done blindly to the end.
  double commitment(Belief b, int cell) {
    double value = 0, weight = 1;
    for (int t = 0; t < kLongestPlan && b.size() > 0; ++t, weight *= model_.discount()) {
      const int action = best_q(cell).second;
      value += weight * value_at(model_.reward(action), b);
      b = push(b, action);
      const CellModel::Entry* next = nullptr;
      float left = 1;
      for (const CellModel::Entry& e : model_.transition(action)[cell]) {
        left -= e.chance;
        if (!next || e.chance > next->chance) next = &e;
      }
      if (!next || left > next->chance) break;
      cell = next->index;
      if (b.size() > 2 * kLookers) b = thinned(b, kLookers);
    }
    return value;
  }

  // As if a cell were true where that costs at most `risk` of what the state is worth. Otherwise it
  // repeats the action whose observation some steps ahead says most, rather where states are worth
  // more.
  int informed(const Belief& belief, double risk) {
    struct Look {
      int action;
      double nats;
      float value;
    };
    std::vector<Look> looks;
    const Belief some = thinned(belief, kLookers);
    const double known = mdp_value(some);
    for (int i = 0; i < kPlans; ++i) {
      const int cell = some.cell[rng_.below(static_cast<uint32_t>(some.size()))];
      if (commitment(some, cell) >= known - risk * std::abs(known)) return best_q(cell).second;
    }
    for (int a = 0; a < model_.num_actions(); ++a) {
      Belief b = some;
      double weight = 1;
      for (int t = 1; t <= kLongestLook; ++t) {
        b = push(b, a);
        if (b.size() == 0) break;
        if (b.size() > 2 * kLookers) b = thinned(b, kLookers);
        weight *= model_.discount();
        if (t < 4 || t % 2 == 0)
          looks.push_back(
              {a, weight * information(b, a), static_cast<float>(weight) * mdp_value(b)});
      }
    }
    float low = HUGE_VALF, high = -HUGE_VALF;
    for (const Look& l : looks) {
      low = std::min(low, l.value);
      high = std::max(high, l.value);
    }
    double most = 0;
    const Look* best = nullptr;
    for (const Look& l : looks)
      if (const double worth = l.nats * (kDuty + (l.value - low) / (high - low + 1e-9f));
          worth > most) {
        most = worth;
        best = &l;
      }
    return best ? best->action : by_mdp_value(belief).front();
  }

  // At most about `most` cells of equal weight, drawn systematically.
  Belief thinned(const Belief& b, size_t most) {
    if (b.size() <= most) return b;
    double total = 0;
    for (float w : b.weight) total += w;
    const double step = total / static_cast<double>(most);
    double next = step * rng_.uniform(), sum = 0;
    Belief out;
    for (size_t i = 0; i < b.size(); ++i) {
      sum += b.weight[i];
      int count = 0;
      for (; next < sum; next += step) ++count;
      if (count == 0) continue;
      out.cell.push_back(b.cell[i]);
      out.weight.push_back(static_cast<float>(count * step));
    }
    return out;
  }

  // Where the action leads to. What is missing in the sum has ended.
  Belief push(const Belief& b, int action) {
    Belief out;
    const CellModel::Rows& rows = model_.transition(action);
    for (size_t i = 0; i < b.size(); ++i)
      for (const CellModel::Entry& e : rows[b.cell[i]]) {
        if (mass_[e.index] == 0) out.cell.push_back(e.index);
        mass_[e.index] += b.weight[i] * e.chance;
      }
    for (int c : out.cell) {
      out.weight.push_back(mass_[c]);
      mass_[c] = 0;
    }
    return out;
  }

  // Draws an observation and weighs by it; empty when the episode ended instead.
  Belief observed(const Belief& b, int action) {
    const CellModel::Rows& rows = model_.observation(action);
    std::vector<double> chance(model_.num_observations(), 0);
    for (size_t i = 0; i < b.size(); ++i)
      for (const CellModel::Entry& e : rows[b.cell[i]]) chance[e.index] += b.weight[i] * e.chance;
    double u = rng_.uniform();
    int seen = 0;
    while (seen < model_.num_observations() && (u -= chance[seen]) >= 0) ++seen;
    Belief out;
    if (seen == model_.num_observations()) return out;
    const float total = static_cast<float>(chance[seen]);
    for (size_t i = 0; i < b.size(); ++i)
      for (const CellModel::Entry& e : rows[b.cell[i]]) {
        const float w = b.weight[i] * e.chance / total;
        if (e.index != seen || w < kNegligible) continue;
        out.cell.push_back(b.cell[i]);
        out.weight.push_back(w);
      }
    return out;
  }

  // The best vector of the plan.
  void compare(Point& point) {
    sums_.assign(vectors_.count(), 0);
    for (size_t i = 0; i < point.judges.size(); ++i)
      add(point.judges.weight[i], vectors_.at_cell(point.judges.cell[i]), sums_.data(),
          sums_.size());
    point.best = best_of(sums_.data(), sums_.size());
    point.value = sums_[point.best];
  }

  static void add(float weight, const float* from, float* to, size_t n) {
    for (size_t i = 0; i < n; ++i) to[i] += weight * from[i];
  }
  static int best_of(const float* values, size_t n) {
    return static_cast<int>(std::max_element(values, values + n) - values);
  }
  static float value_at(const std::vector<float>& vector, const Belief& b) {
    float sum = 0;
    for (size_t i = 0; i < b.size(); ++i) sum += b.weight[i] * vector[b.cell[i]];
    return sum;
  }

  // Actions, the best first if the state were known from the next step on.
  std::vector<int> by_mdp_value(const Belief& b) const {
    std::vector<std::pair<float, int>> order;
    for (int a = 0; a < model_.num_actions(); ++a)
      order.push_back({-value_at(model_.q_mdp(a), b), a});
    std::sort(order.begin(), order.end());
    std::vector<int> actions;
    for (const auto& [value, a] : order) actions.push_back(a);
    return actions;
  }

  // The first ones by MDP value, the current action and the one that was taken, and one of the
  // others.
  std::vector<int> actions_to_try(const Belief& b, int current, int taken) {
    std::vector<int> actions = by_mdp_value(b);
    if (actions.size() <= static_cast<size_t>(kActions)) return actions;
    auto rest = actions.begin() + kActions - 3;
    for (int wanted : {current, taken})
      if (const auto at = std::find(rest, actions.end(), wanted); at != actions.end())
        std::iter_swap(rest++, at);
    std::iter_swap(rest, rest + rng_.below(static_cast<uint32_t>(actions.end() - rest)));
    actions.resize(rest - actions.begin() + 1);
    return actions;
  }

  // For every observation and every vector and draft: the sum over the cells of a belief, as a
  // product of matrices. Returns how far apart observations are in sums_.
  size_t multiply(const Belief& next, int action) {
    const size_t count = vectors_.count(), observations = model_.num_observations();
    const CellModel::Rows& rows = model_.observation(action);
    dense_.resize(next.size(), count + walk_.drafts.size());
    joint_.assign(next.size() * observations, 0);
    for (size_t i = 0; i < next.size(); ++i) {
      const int cell = next.cell[i];
      float* row = std::copy_n(vectors_.at_cell(cell), count, dense_.row(i));
      for (const CellWalk::Draft& draft : walk_.drafts) *row++ = draft.value[cell];
      for (const CellModel::Entry& e : rows[cell])
        joint_[i * observations + e.index] = next.weight[i] * e.chance;
    }
    dense_.multiply(joint_, observations, sums_);
    return dense_.stride();
  }

  // The same, one observation of a cell at a time.
  size_t add_up(const Belief& next, int action) {
    const size_t count = vectors_.count(), width = count + walk_.drafts.size();
    const CellModel::Rows& rows = model_.observation(action);
    sums_.assign(model_.num_observations() * width, 0);
    constexpr size_t kBlock = 512;  // sums of a few observations stay in the cache
    for (size_t first = 0; first < count; first += kBlock)
      for (size_t i = 0; i < next.size(); ++i)
        for (const CellModel::Entry& e : rows[next.cell[i]])
          add(next.weight[i] * e.chance, vectors_.at_cell(next.cell[i]) + first,
              sums_.data() + e.index * width + first, std::min(kBlock, count - first));
    for (size_t i = 0; i < next.size(); ++i)
      for (const CellModel::Entry& e : rows[next.cell[i]]) {
        const float w = next.weight[i] * e.chance;
        for (size_t d = 0; d < walk_.drafts.size(); ++d)
          sums_[e.index * width + count + d] += w * walk_.drafts[d].value[next.cell[i]];
      }
    return width;
  }

  // Q(b, action) with the best successor for every observation.
  Choice look_ahead(const Belief& b, int action) {
    const Belief next = thinned(push(b, action), kScouts);
    seen_.assign(model_.num_observations(), 0);
    for (int cell : next.cell)
      for (const CellModel::Entry& e : model_.observation(action)[cell]) seen_[e.index] = 1;
    const size_t width = vectors_.count() + walk_.drafts.size();
    const size_t stride = many_seen() ? multiply(next, action) : add_up(next, action);
    Choice choice{value_at(model_.reward(action), b), action, {}};
    std::vector<float> any(width, 0);
    for (size_t o = 0; o < seen_.size(); ++o) {
      const float* row = sums_.data() + o * stride;
      choice.next.push_back(seen_[o] ? best_of(row, width) : -1);
      if (!seen_[o]) continue;
      choice.value += model_.discount() * row[choice.next[o]];
      add(1, row, any.data(), width);
    }
    for (int& next_vector : choice.next)
      if (next_vector < 0) next_vector = best_of(any.data(), width);
    return choice;
  }

  bool many_seen() const { return model_.num_observations() >= kManySeen; }

  const std::vector<float>& values(int v) const {
    return v < vectors_.count() ? vectors_[v].value : walk_.drafts[v - vectors_.count()].value;
  }

  void back_up(const Point& point) {
    ++walk_.backups;
    float before = point.value;
    int current = point.best;
    for (size_t d = 0; d < walk_.drafts.size(); ++d)
      if (const float v = value_at(walk_.drafts[d].value, point.judges); v > before) {
        before = v;
        current = static_cast<int>(vectors_.count() + d);
      }
    const int action = current < vectors_.count() ? vectors_[current].action
                                                  : walk_.drafts[current - vectors_.count()].action;
    const Belief scouts = thinned(point.judges, 2 * kScouts);
    Choice best;
    for (int a : actions_to_try(scouts, action, point.action)) {
      if (many_seen() && value_at(model_.q_mdp(a), scouts) <= best.value) continue;  // no more
      if (Choice choice = look_ahead(scouts, a); choice.value > best.value)
        best = std::move(choice);
    }
    CellWalk::Draft draft{best.action, best.next, back_up_plan(best)};
    if (value_at(draft.value, point.judges) < before + least_rise_) {
      if (current < vectors_.count()) walk_.used.push_back(current);
      return;
    }
    for (int v : best.next)
      if (v < vectors_.count()) walk_.used.push_back(v);
    walk_.drafts.push_back(std::move(draft));
  }

  // The vector of an action and what follows it.
  std::vector<float> back_up_plan(const Choice& choice) const {
    std::vector<const float*> value;
    for (int v : choice.next) value.push_back(values(v).data());
    std::vector<float> ahead(model_.num_cells());
    const CellModel::Rows& rows = model_.observation(choice.action);
    for (int c = 0; c < model_.num_cells(); ++c) {
      float sum = 0;
      for (const CellModel::Entry& e : rows[c]) sum += e.chance * value[e.index][c];
      ahead[c] = sum;
    }
    return model_.back_up(choice.action, ahead);
  }

  const CellModel& model_;
  const CellVectors& vectors_;
  float least_rise_;
  Exploration exploration_;
  Rng rng_;
  const std::function<bool()>& stop_;
  std::vector<float> mass_;  // per cell, all 0 between calls
  std::vector<float> sums_, joint_;
  DenseSums dense_;
  std::vector<double> chance_;  // per observation
  std::vector<char> seen_;
  std::vector<Point> path_;
  CellWalk walk_;
};

}  // namespace

CellWalk walk_cells(const CellModel& model, const CellVectors& vectors, float least_rise,
                    const Exploration& exploration, RngKey key, const std::function<bool()>& stop) {
  return Walker(model, vectors, least_rise, exploration, key, stop).run();
}

}  // namespace penumbra::cells

#include "penumbra/solvers/cells/cell_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/cells/cell_walk.h"

namespace penumbra::cells {
namespace {

constexpr int kWalks = 4;            // per round
constexpr double kLeastRise = 7e-4;  // share of the first gap, in the beginning; it is halved when
constexpr uint64_t kPatience = 25;   // so many rounds gain less than that in all
constexpr uint64_t kInVain = 300;    // backups that found nothing: from then on walks look around
constexpr double kFewestVectors = 64;

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

void CellVectors::lay_out(ThreadPool& pool) {
  if (all_.size() > stride_) {
    stride_ = (all_.size() + all_.size() / 2 + 63) / 64 * 64;
    by_cell_.assign(all_[0].value.size() * stride_, 0);
    laid_out_ = 0;
  }
  pool.for_chunks(all_[0].value.size(), 256, [&](size_t, size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c)
      for (int v = laid_out_; v < count(); ++v) by_cell_[c * stride_ + v] = all_[v].value[c];
  });
  laid_out_ = count();
}

void CellVectors::keep(int count, int fixed, int wanted) {
  std::vector<int> order(all_.size());
  std::iota(order.begin(), order.end(), 0);
  auto rank = [&](int v) { return v < fixed || v == wanted ? UINT64_MAX : all_[v].last_used; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) > rank(b); });
  order.resize(std::min(order.size(), std::max(size_t(count), size_t(fixed) + 1)));
  std::sort(order.begin(), order.end());
  std::vector<Vector> kept;
  for (int v : order) kept.push_back(std::move(all_[v]));
  all_ = std::move(kept);
  laid_out_ = 0;
}

CellPlan::CellPlan(const Tabular& table, RngKey key, ThreadPool& pool, VectorLimits limits)
    : key_(key), pool_(pool), model_(table, pool), limits_(limits) {
  for (int a = 0; a < model_.num_actions(); ++a) {  // one node per action that repeats it for ever
    nodes_.push_back(a);
    nodes_.insert(nodes_.end(), model_.num_observations(), a);
    vectors_.add({a, a, 0, model_.repeated(a)});
  }
  vectors_.lay_out(pool_);
  first_value_ = last_value_ = value();
  least_rise_ = static_cast<float>(kLeastRise * (mdp_value() - last_value_));
}

bool CellPlan::run(const std::function<bool()>& stop) {
  // What a known state would do is no guide to a place that is only worth seeing.
  Exploration exploration = begun() ? Exploration() : Exploration{0.15, 0.5};
  in_vain_ = in_vain_ || (!begun() && backups_ >= kInVain);
  if (in_vain_) exploration.inform = begun() ? 0.25 : 0.75;
  std::vector<CellWalk> walks(kWalks);
  pool_.for_chunks(kWalks, 1, [&](size_t i, size_t, size_t) {
    walks[i] =
        walk_cells(model_, vectors_, least_rise_, exploration, key_.fold(round_).fold(i), stop);
  });
  for (const CellWalk& walk : walks)
    if (walk.stopped) return false;
  ++round_;
  const int before = vectors_.count();
  for (CellWalk& walk : walks) {
    backups_ += walk.backups;
    for (int v : walk.used) vectors_[v].last_used = round_;
    const int shift = vectors_.count() - before;
    for (CellWalk::Draft& draft : walk.drafts) {
      const int node = static_cast<int>(nodes_.size()) / node_size();
      nodes_.push_back(draft.action);
      for (int v : draft.next) nodes_.push_back(vectors_[v < before ? v : v + shift].node);
      vectors_.add({node, draft.action, round_, std::move(draft.value)});
    }
  }
  const int most = most_vectors();
  if (vectors_.count() > most) vectors_.keep(most * 2 / 3, model_.num_actions(), best_at_start());
  vectors_.lay_out(pool_);
  begun_ = begun_ || value() > first_value_;
  if (round_ % kPatience == 0) {
    const double reached = value();
    if (reached - last_value_ < least_rise_) least_rise_ /= 2;
    last_value_ = reached;
  }
  return true;
}

int CellPlan::most_vectors() const {
  const double bytes = 2.0 * sizeof(float) * model_.num_cells();  // in both layouts
  return model_.num_actions() +
         static_cast<int>(std::clamp(limits_.memory / bytes, kFewestVectors, double(limits_.most)));
}

int CellPlan::best_at_start() const {
  int best = 0;
  double most = -HUGE_VAL;
  for (int v = 0; v < vectors_.count(); ++v)
    if (const double value = dot(model_.start(), vectors_[v].value); value > most) {
      most = value;
      best = v;
    }
  return best;
}

double CellPlan::value() const {
  return dot(model_.start(), vectors_[best_at_start()].value);
}

double CellPlan::mdp_value() const {
  double sum = 0;
  for (int c = 0; c < num_cells(); ++c) {
    float best = model_.q_mdp(0)[c];
    for (int a = 1; a < model_.num_actions(); ++a) best = std::max(best, model_.q_mdp(a)[c]);
    sum += double(model_.start()[c]) * best;
  }
  return sum;
}

Fsc CellPlan::controller(std::vector<int>* vector_of) const {
  Fsc fsc;
  fsc.num_observations = model_.num_observations();
  std::vector<int> number(nodes_.size() / node_size(), -1), open;
  auto visit = [&](int node) {
    if (number[node] < 0) {
      number[node] = fsc.add_node(nodes_[size_t(node) * node_size()]);
      open.push_back(node);
    }
    return number[node];
  };
  fsc.start = visit(vectors_[best_at_start()].node);
  for (size_t i = 0; i < open.size(); ++i)
    for (int o = 0; o < fsc.num_observations; ++o) {
      const int next = visit(nodes_[size_t(open[i]) * node_size() + 1 + o]);
      fsc.set_edge(static_cast<int>(i), o, next);
    }
  if (!vector_of) return minimised(fsc);
  std::vector<int> merged;
  fsc = minimised(fsc, &merged);
  vector_of->assign(fsc.num_nodes(), -1);
  for (int v = 0; v < vectors_.count(); ++v)
    if (const int at = number[vectors_[v].node]; at >= 0) (*vector_of)[merged[at]] = v;
  return fsc;
}

}  // namespace penumbra::cells

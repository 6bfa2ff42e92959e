#include "penumbra/solvers/cells/table_plan.h"

#include <algorithm>
#include <cmath>

namespace penumbra::cells {
namespace {

constexpr uint64_t kEnough = 4;          // times the backups of the best controller
constexpr uint64_t kLongSearch = 2'000;  // backups after which a plan that found nothing gives up

}  // namespace

TablePlan::TablePlan(const Tabular& table, double steps, double gain, VectorLimits limits,
                     RngKey key, ThreadPool& pool)
    : steps_(steps),
      plan_(table, key, pool, limits),
      last_value_(plan_.value()),
      best_value_(-HUGE_VAL),
      gain_(gain * (plan_.mdp_value() - last_value_)) {}

bool TablePlan::run(const Stop& stop) {
  if (!plan_.run(stop)) return false;
  if (backups() < next_look_) return true;
  const double value = plan_.value();
  const bool at_once = plan_.begun() && !plan_.in_vain();
  finished_ = value - last_value_ <= gain_ && (at_once || backups() > kLongSearch);
  last_value_ = value;
  next_look_ = 2 * backups();
  return true;
}

void TablePlan::judged(double value) {
  if (value > best_value_ + gain_) {
    best_value_ = value;
    best_at_ = backups();
  }
  finished_ = finished_ || (backups() > kLongSearch &&
                            backups() >= kEnough * std::max(best_at_, kLongSearch / 2));
}

}  // namespace penumbra::cells

#include "penumbra/solvers/cells/table_plan.h"

namespace penumbra::cells {
namespace {

constexpr uint64_t kLongSearch = 2'000;  // backups after which a plan that found nothing gives up

}  // namespace

TablePlan::TablePlan(const Tabular& table, double steps, double gain, VectorLimits limits,
                     RngKey key, ThreadPool& pool)
    : steps_(steps),
      plan_(table, key, pool, limits),
      last_value_(plan_.value()),
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

}  // namespace penumbra::cells

#include "penumbra/search/guarded.h"

#include <algorithm>
#include <cstring>

#include "penumbra/search/despot.h"
#include "penumbra/search/largest_value.h"

namespace penumbra::search {
namespace {

constexpr int kScenarios = 500;
constexpr double kGuardsShare = 0.3;  // of the time

class GuardedSearch final : public Search {
 public:
  GuardedSearch(std::unique_ptr<Search> search, std::unique_ptr<BoundSearch> guard,
                const Guide& guide)
      : search_(std::move(search)), guard_(std::move(guard)), guide_(guide) {}

  Decision plan(const Root& root, const Budget& budget, RngKey key) override {
    const Deadline clock(budget);
    const uint64_t steps = guard_->steps();
    const Budget guards{budget.simulations, kGuardsShare * budget.seconds};
    guard_->begin(root, guards, key.fold("guard"));
    Root in_step = root;
    in_step.node = guard_->node();
    in_step.other = -1;
    Budget rest = budget;
    if (budget.simulations == 0)
      rest.seconds = std::max(1e-6, (1 - kGuardsShare) * budget.seconds - clock.seconds());
    Decision decision = search_->plan(in_step, rest, key);
    const int own = guide_.fsc().action[in_step.node];
    int action;
    std::memcpy(&action, decision.action.data(), sizeof action);
    decision.node = in_step.node;
    decision.by_search = action != own && guard_->accepts(root, action, key.fold("accept"));
    if (!decision.by_search) {
      std::memcpy(decision.action.data(), &own, sizeof own);
      decision.value = guard_->guided();
    }
    decision.steps += guard_->steps() - steps;
    return decision;
  }
  std::vector<TreeRow> rows(int levels, int most) const override {
    return search_->rows(levels, most);
  }

 private:
  std::unique_ptr<Search> search_;
  std::unique_ptr<BoundSearch> guard_;
  const Guide& guide_;
};

}  // namespace

Guarded::Guarded(std::unique_ptr<const Planner> planner, std::shared_ptr<const Guide> guide)
    : planner_(std::move(planner)),
      guide_(std::move(guide)),
      values_(std::make_shared<LargestValue>(guide_->model().facts())) {}

std::string Guarded::describe() const {
  return planner_->describe() + ", guarded";
}

std::unique_ptr<Search> Guarded::start(ThreadPool* pool) const {
  auto guard = std::make_unique<BoundSearch>(*guide_, *values_, BoundOptions{},
                                             scenarios(guide_->model(), kScenarios, pool), pool);
  return std::make_unique<GuardedSearch>(planner_->start(pool), std::move(guard), *guide_);
}

}  // namespace penumbra::search

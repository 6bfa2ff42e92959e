#include "penumbra/solvers/habits/plan.h"

#include <algorithm>
#include <cmath>

#include "penumbra/solvers/habits/habit_controller.h"

namespace penumbra::habits {
namespace {

constexpr size_t kBatchesPerRound = 8;
// Rounds before the first agent goes: short memories learn soon, longer ones learn more.
constexpr uint64_t kFirstSelection = 128, kLeastSelection = 32;
constexpr double kMemory = 128e6;           // bytes of a controller, unless there is a limit
constexpr uint64_t kEnough = 4;             // times the work of the best controller
constexpr uint64_t kLeastBatches = 40'000;  // before a plan may be over
constexpr double kSmoothing = 0.2;          // of an agent's value over rounds

}  // namespace

void PlanOptions::list(OptionList& l) {
  l.add("habit-agents", agents, 1, 1000, "that learn habits side by side");
  l.add("habit-exploration", habits.exploration, 0, 1,
        "share of steps in which habits try something else, at the beginning");
}

Plan::Plan(const Pomdp& model, const PlanOptions& options, double memory, RngKey key,
           ThreadPool& pool)
    : model_(model),
      options_(options),
      key_(key),
      pool_(pool),
      forms_(usual_forms(find_certain_features(model, key.fold("certain")))),
      next_selection_(kFirstSelection),
      best_value_(-HUGE_VAL) {
  const double bytes = memory > 0 ? std::min(memory / 4, kMemory) : kMemory;
  const double node = sizeof(int) * (1.0 + model.facts().num_observations);
  most_nodes_ = static_cast<size_t>(std::clamp(bytes / node, 16.0, 50'000.0));
  for (int form = 0; form < static_cast<int>(forms_.size()); ++form)
    agents_.push_back(
        {form, Habits(forms_[form], options_.habits, key_.fold("agent").fold(form)), 0});
}

bool Plan::run(const Stop& stop) {
  std::vector<Agent> next = agents_;
  std::atomic<bool> stopped = false;
  pool_.for_chunks(next.size(), 1, [&](size_t i, size_t, size_t) {
    for (size_t b = 0; b < kBatchesPerRound && !stopped; ++b) {
      if (asked_to_stop(stop))
        stopped = true;
      else
        next[i].habits.learn(model_, 1);
    }
  });
  if (stopped) return false;
  double steps = 0;
  for (size_t i = 0; i < next.size(); ++i) {
    const double value = next[i].habits.value();
    next[i].value = round_ == 0 ? value : (1 - kSmoothing) * next[i].value + kSmoothing * value;
    steps += next[i].habits.steps() - agents_[i].habits.steps();
  }
  agents_ = std::move(next);
  steps_ += steps;
  batches_ += kBatchesPerRound * agents_.size();
  if (++round_ == next_selection_) select();
  return true;
}

// The worst goes, or follows the best where no more are there than are wanted.
void Plan::select() {
  next_selection_ += std::max(kLeastSelection, round_ / 4);
  std::stable_sort(agents_.begin(), agents_.end(),
                   [](const Agent& a, const Agent& b) { return a.value > b.value; });
  const auto wanted = static_cast<size_t>(options_.agents);
  if (agents_.size() > wanted) {
    agents_.pop_back();
    return;
  }
  if (agents_.size() < wanted) agents_.push_back(agents_.front());
  if (agents_.size() == 1) return;
  agents_.back() = agents_.front();
  agents_.back().habits.part_ways(key_.fold("copy").fold(round_));
}

const Plan::Agent& Plan::best() const {
  return *std::max_element(agents_.begin(), agents_.end(),
                           [](const Agent& a, const Agent& b) { return a.value < b.value; });
}

double Plan::claim() const {
  return round_ == 0 ? least_value(model_.facts()) : best().value;
}

std::vector<Fnc> Plan::controllers() const {
  // As many episodes as it takes to meet most situations.
  const size_t batches = std::clamp<size_t>(batches_ / 50, 16, 800);
  Fsc fsc = make_controller(model_, best().habits, options_.habits, batches, most_nodes_,
                            key_.fold("controller").fold(round_), pool_);
  return {{minimised(fsc)}};
}

void Plan::judged(double value) {
  if (value > best_value_) {
    best_value_ = value;
    best_at_ = batches_;
  }
  finished_ = finished_ ||
              (batches_ >= kLeastBatches && batches_ >= kEnough * std::max<uint64_t>(best_at_, 1));
}

MakeFirstPlan first_plan(const Pomdp& model, const PlanOptions& options) {
  return [&model, options](const MdpValue&, double memory, RngKey key, ThreadPool& pool,
                           const Stop&) -> std::unique_ptr<FirstPlan> {
    if (!model.has(Capability::kFiniteActions) || !model.has(Capability::kFiniteObservations))
      throw NoPlan("habits need finite actions and observations");
    return std::make_unique<Plan>(model, options, memory, key, pool);
  };
}

}  // namespace penumbra::habits

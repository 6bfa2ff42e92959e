#include "penumbra/search/falling_upper.h"

#include "penumbra/search/despot.h"

namespace penumbra::search {
namespace {
constexpr int kTrees = 10;
constexpr int kScenarios = 1000;
constexpr double kMegabytes = 30;      // of one tree
constexpr double kLongRollouts = 200;  // steps per state: then the trees do without
constexpr int kMostTableStates = 20'000;
}  // namespace

FallingUpper::FallingUpper(const Pomdp& model, const MdpValue& values, UpperValue first, RngKey key)
    : model_(model), values_(values), key_(key), first_(first), value_(first) {
  if (!model.has(Capability::kTable)) return;
  if (const int states = model.table_states(); states <= kMostTableStates) exact_states_ = states;
}

void FallingUpper::spend_exactly(double steps, const Stop& stop) {
  const double least = ExactSearch::work_of_bounds(exact_states_, model_.facts().num_actions);
  if (!exact_ && (steps < least || asked_to_stop(stop))) return;
  if (!exact_) exact_ = std::make_unique<ExactSearch>(model_.table(), stop);
  while (exact_->work() < steps && !asked_to_stop(stop) && exact_->descend()) continue;
  steps_ = exact_->work();
  if (exact_->upper() < first_.value || first_.kind != UpperKind::kProven)
    value_ = {exact_->upper(), UpperKind::kProven};
}

void FallingUpper::begin() {
  guide_ = Guide::blind(model_, key_.fold("blind"));
  BoundOptions options;
  options.deep = false;
  options.keep_least = false;
  options.gap = 1e-6;
  options.megabytes = kMegabytes;
  options.guided = guide_->steps_per_state() < kLongRollouts;
  for (int t = 0; t < kTrees; ++t) {
    trees_.push_back(std::make_unique<BoundSearch>(
        *guide_, values_, options, scenarios(model_, kScenarios, nullptr, Noise::kOwn), nullptr));
    RecordBuffer states(model_.state_size(), kScenarios);
    model_.sample_initial({key_.fold("scenarios").fold(t)}, states);
    trees_[t]->begin({states}, {.simulations = 1}, key_.fold("tree").fold(t));
  }
  open_.assign(kTrees, 1);
}

void FallingUpper::spend(double steps, ThreadPool& pool, const Stop& stop) {
  if (exact_states_ > 0) return spend_exactly(steps, stop);
  // The first expansions have to be worth it.
  const double least = double(kTrees) * kScenarios * model_.facts().num_actions;
  if (trees_.empty() && (steps < least || asked_to_stop(stop))) return;
  if (trees_.empty()) begin();
  while (steps_ < steps && !asked_to_stop(stop)) {
    pool.for_chunks(kTrees, 1, [&](size_t t, size_t, size_t) {
      if (open_[t]) open_[t] = trees_[t]->descend();
    });
    double used = 0;
    bool any = false;
    for (int t = 0; t < kTrees; ++t) {
      used += static_cast<double>(trees_[t]->steps());
      any = any || open_[t];
    }
    steps_ = used;
    if (!any) break;
  }
  summarise();
}

void FallingUpper::summarise() {
  Moments moments;
  for (const auto& tree : trees_) moments.add(tree->tree().belief(0).upper);
  interval_ = moments.estimate();
  const double upper = values_.proven() ? interval_.high : interval_.mean;
  value_ = first_;
  if (upper < first_.value)
    value_ = {upper, values_.proven() ? UpperKind::kSampled : UpperKind::kEstimate};
}

}  // namespace penumbra::search

#include "penumbra/solvers/habits/habits.h"

#include <algorithm>
#include <cmath>

namespace penumbra::habits {
namespace {

constexpr double kCuriousBatches = 300;  // then exploration falls with the root of the time
constexpr double kRatePower = 0.7;       // learning slows down with this power of the visits
constexpr uint32_t kFairTrials = 10;     // before an action is judged
constexpr double kGapRate = 0.001;

}  // namespace

Habits::Habits(MemoryForm form, const HabitOptions& options, RngKey key)
    : form_(std::move(form)), options_(options), key_(key) {}

int Habits::row_of(uint64_t habit) {
  const auto [at, fresh] = index_.try_emplace(habit, static_cast<int>(keys_.size()));
  if (fresh) {
    keys_.push_back(habit);
    q_.resize(q_.size() + num_actions_, 0.0f);
    count_.resize(count_.size() + num_actions_, 0);
  }
  return at->second;
}

int Habits::best_of(int row) const {
  int best = -1;
  const size_t at = size_t(row) * num_actions_;
  for (int a = 0; a < num_actions_; ++a)
    if (count_[at + a] > 0 && (best < 0 || q_[at + a] > q_[at + best])) best = a;
  return best;
}

int Habits::best_action(const Situation& now) const {
  const auto at = index_.find(now.habit);
  return at == index_.end() ? -1 : best_of(at->second);
}

// What has hardly been tried, or what is not much worse than the best: to walk into a wall again
// and again teaches nothing.
int Habits::try_something(int row, Rng& rng) {
  const size_t at = size_t(row) * num_actions_;
  const int best = best_of(row);
  weights_.assign(num_actions_, 1.0);
  double second = -HUGE_VAL;
  for (int a = 0; a < num_actions_; ++a) {
    if (best < 0 || count_[at + a] < kFairTrials) continue;
    const double behind = q_[at + best] - q_[at + a];
    weights_[a] = gap_ > 0 ? std::exp(-behind / gap_) : 1.0;
    if (a != best) second = std::max<double>(second, q_[at + a]);
  }
  if (second > -HUGE_VAL) gap_ += kGapRate * (q_[at + best] - second - gap_);
  if (best >= 0) weights_[best] = 1e-3;
  return rng.categorical(weights_);
}

void Habits::learn(const Pomdp& model, size_t batches) {
  num_actions_ = model.facts().num_actions;
  discount_ = model.facts().discount;
  std::vector<Path> paths(kEpisodesPerBatch);
  double sum = 0;
  for (size_t b = 0; b < batches; ++b, ++batches_) {
    for (Path& path : paths) path.clear();
    const double late = static_cast<double>(batches_ - curious_since_) / kCuriousBatches;
    const double exploration = options_.exploration / std::sqrt(1 + late);
    const RngKey key = key_.fold(batches_), choice = key.fold("choice");
    steps_ += static_cast<double>(play(
        model, form_, {key, 0, kEpisodesPerBatch, options_.depth},
        [&](size_t lane, const Situation& now) {
          Path& path = paths[lane];
          const int row = row_of(now.habit);
          Rng rng(choice.fold(path.size()), lane);
          int action = best_of(row);
          if (action < 0 || rng.bernoulli(exploration)) action = try_something(row, rng);
          path.push_back({row, action, 0, false, false});
          return action;
        },
        [&](size_t lane, float reward, bool over) {
          Visit& last = paths[lane].back();
          last.reward = reward;
          last.stepped = true;
          last.over = over;
        }));
    for (const Path& path : paths) {
      double weight = 1;
      for (const Visit& v : path) {
        sum += weight * v.reward;
        weight *= discount_;
      }
      learn_from(path);
    }
  }
  value_ = sum / static_cast<double>(batches * kEpisodesPerBatch);
}

void Habits::learn_from(const Path& path) {
  double next_return = 0, next_value = 0;
  for (size_t i = path.size(); i-- > 0;) {
    const Visit& v = path[i];
    const size_t at = size_t(v.row) * num_actions_ + v.action;
    const double value = q_[at];
    if (!v.stepped) {  // the episode was cut here
      next_return = next_value = value;
      continue;
    }
    double target = v.reward;
    if (!v.over)
      target += discount_ * (options_.lambda * next_return + (1 - options_.lambda) * next_value);
    const double rate = std::max(options_.least_rate, std::pow(++count_[at], -kRatePower));
    q_[at] += static_cast<float>(rate * (target - value));
    next_return = target;
    next_value = value;
  }
}

void Habits::part_ways(RngKey key) {
  key_ = key;
  curious_since_ = batches_;
}

void Habits::rebuild_index() {
  index_.clear();
  for (size_t row = 0; row < keys_.size(); ++row) index_[keys_[row]] = static_cast<int>(row);
  num_actions_ = keys_.empty() ? 0 : static_cast<int>(q_.size() / keys_.size());
}

}  // namespace penumbra::habits

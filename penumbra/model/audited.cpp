#include "penumbra/model/audited.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/model/uniform_action.h"
#include "penumbra/model/unsound.h"

namespace penumbra {
namespace {

constexpr double kSumTolerance = 1e-4;
constexpr double kTableTolerance = 1e-6;

bool is_number(double x) {
  return x >= -DBL_MAX && x <= DBL_MAX;
}

bool any_is_no_number(std::span<const float> values) {
  unsigned wrong = 0;
  for (float x : values)
    wrong |= static_cast<unsigned>(!(x >= -FLT_MAX)) | static_cast<unsigned>(!(x <= FLT_MAX));
  return wrong != 0;
}

void check_sum(const Pomdp& model, const std::byte* action, ConstRecords next) {
  std::vector<double> sum(next.count, 0), each(next.count);
  for (int o = 0; o < model.facts().num_observations; ++o) {
    model.likelihood(reinterpret_cast<const std::byte*>(&o), action, next, each);
    for (size_t i = 0; i < next.count; ++i) sum[i] += each[i];
  }
  for (size_t i = 0; i < next.count; ++i)
    if (!(std::abs(sum[i] - 1) <= kSumTolerance))
      throw_unsound(
          model, fmt::format("the probabilities of the observations sum to {:.6g}, not 1", sum[i]),
          action, next.at(i));
}

}  // namespace

Audited::Audited(const Pomdp& model) : Decorated(model) {
  take_facts();
}

Audited::Audited(std::unique_ptr<Pomdp> model) : Decorated(std::move(model)) {
  take_facts();
}

void Audited::take_facts() {
  const Facts& f = inner().facts();
  set_facts(f, inner().capabilities(), inner().state_size(), inner().seen_size(),
            inner().action_size());
  const double slack = 1e-5 * (1 + std::abs(f.min_reward) + std::abs(f.max_reward));
  low_ = f.min_reward - slack;
  high_ = f.max_reward + slack;
  if (has(Capability::kFeatures)) layout_ = inner().features();
}

// All numbers are compared without a branch; which one is wrong is asked only where one is.
void Audited::step(ConstRecords state, ConstRecords action, Streams streams,
                   const StepResults& out) const {
  inner().step(state, action, streams, out);
  const int num_seen = facts().num_observations;
  const auto low = static_cast<float>(low_), high = static_cast<float>(high_);
  unsigned wrong = 0;
  for (size_t i = 0; i < state.count; ++i)
    wrong |= static_cast<unsigned>(!(out.reward[i] >= low)) |
             static_cast<unsigned>(!(out.reward[i] <= high));
  if (num_seen > 0) {
    const auto* seen = reinterpret_cast<const uint32_t*>(out.seen.data);
    for (size_t i = 0; i < state.count; ++i)
      wrong |= static_cast<unsigned>(seen[i] >= static_cast<uint32_t>(num_seen));
  } else {
    wrong |= any_is_no_number({reinterpret_cast<const float*>(out.seen.data),
                               state.count * (seen_size() / sizeof(float))});
  }
  if (wrong) [[unlikely]]
    throw_wrong_step(state, action, out);
}

void Audited::throw_wrong_step(ConstRecords state, ConstRecords action,
                               const StepResults& out) const {
  const int num_seen = facts().num_observations;
  const bool overwritten = state.data == out.next.data;
  // Where the state is no more, the next one has to do.
  auto place = [&](size_t i) { return overwritten ? out.next.at(i) : state.at(i); };
  const auto low = static_cast<float>(low_), high = static_cast<float>(high_);
  for (size_t i = 0; i < state.count; ++i) {
    if (!(out.reward[i] >= low && out.reward[i] <= high))
      throw_bad_reward(*this, out.reward[i], action.at(i), place(i));
    if (num_seen == 0) continue;
    if (const int seen = index_of(out.seen, i); seen < 0 || seen >= num_seen)
      throw_unsound(*this,
                    fmt::format("the observation {} is none of the {} declared", seen, num_seen),
                    action.at(i), place(i));
  }
  const size_t width = seen_size() / sizeof(float);
  for (size_t i = 0; num_seen == 0 && i < state.count * width; ++i)
    if (float x = reinterpret_cast<const float*>(out.seen.data)[i]; !is_number(x))
      throw_unsound(*this, fmt::format("the observation has the value {}", x), action.at(i / width),
                    place(i / width));
  fail_check("wrong", __FILE__, __LINE__, "one of the answers is wrong");
}

void Audited::encode(ConstRecords state, FeatureBatch& out, int first_row) const {
  inner().encode(state, out, first_row);
  if (state.count == 0) return;
  const FeatureRow first = out.row(first_row);  // parts are contiguous and row-major
  const size_t blocks = layout_.categories.size(), dense = first.dense.size();
  const int32_t* category = first.category.data();
  unsigned wrong = 0;
  for (size_t b = 0; b < blocks; ++b) {
    const auto size = static_cast<uint32_t>(layout_.categories[b]);
    for (size_t i = 0; i < state.count; ++i)
      wrong |= static_cast<unsigned>(static_cast<uint32_t>(category[i * blocks + b]) >= size);
  }
  wrong |= any_is_no_number({first.dense.data(), state.count * dense});
  if (!wrong) [[likely]]
    return;
  for (size_t i = 0; i < state.count * blocks; ++i)
    if (const int c = category[i]; c < 0 || c >= layout_.categories[i % blocks])
      throw_unsound(*this,
                    fmt::format("encode gives category {} of block {}, which has {}", c, i % blocks,
                                layout_.categories[i % blocks]),
                    nullptr, state.at(i / blocks));
  for (size_t i = 0; i < state.count * dense; ++i)
    if (!is_number(first.dense.data()[i]))
      throw_unsound(*this,
                    fmt::format("encode gives {} as feature {}", first.dense.data()[i], i % dense),
                    nullptr, state.at(i / dense));
}

void Audited::likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                         std::span<double> out) const {
  inner().likelihood(seen, action, next, out);
  const double most = facts().num_observations > 0 ? 1 + kSumTolerance : DBL_MAX;
  unsigned wrong = 0;
  for (size_t i = 0; i < next.count; ++i)
    wrong |= static_cast<unsigned>(!(out[i] >= 0)) | static_cast<unsigned>(!(out[i] <= most));
  if (!wrong) [[likely]]
    return;
  for (size_t i = 0; i < next.count; ++i)
    if (!(out[i] >= 0 && out[i] <= most))
      throw_unsound(*this, fmt::format("the likelihood of {} is {}", describe_seen(seen), out[i]),
                    action, next.at(i));
}

void Audited::cumulative(float bound, int coordinate, const std::byte* action, ConstRecords next,
                         std::span<double> out) const {
  inner().cumulative(bound, coordinate, action, next, out);
  for (size_t i = 0; i < next.count; ++i)
    if (!(out[i] >= 0 && out[i] <= 1 + kSumTolerance)) [[unlikely]]
      throw_unsound(*this, fmt::format("cumulative({}) is {}", bound, out[i]), action, next.at(i));
}

void Audited::mdp_value(ConstRecords state, std::span<double> out) const {
  inner().mdp_value(state, out);
  for (size_t i = 0; i < state.count; ++i)
    if (!is_number(out[i])) [[unlikely]]
      throw_unsound(*this, fmt::format("its MDP value is {}", out[i]), nullptr, state.at(i));
}

Tabular Audited::table() const {
  Tabular t = inner().table();
  check_tabular(t, kTableTolerance);
  num_states_ = t.num_states;
  return t;
}

void Audited::state_index(ConstRecords state, std::span<int> out) const {
  inner().state_index(state, out);
  const int most = num_states_ > 0 ? num_states_.load() : INT32_MAX;
  for (size_t i = 0; i < state.count; ++i)
    if (out[i] < 0 || out[i] >= most) [[unlikely]]
      throw_unsound(*this, fmt::format("state_index gives {} of {} states", out[i], most), nullptr,
                    state.at(i));
}

void Audited::coordinates(ConstRecords state, std::span<float> out) const {
  inner().coordinates(state, out);
  const size_t width = state.count ? out.size() / state.count : 1;
  for (size_t i = 0; i < out.size() && i / width < state.count; ++i)
    if (!is_number(out[i])) [[unlikely]]
      throw_unsound(*this, fmt::format("coordinate {} is {}", i % width, out[i]), nullptr,
                    state.at(i / width));
}

void check_first_steps(const Pomdp& model) {
  constexpr size_t kLanes = 64;
  constexpr int kDepth = 4, kMostObservations = 1000;
  const RngKey root = RngKey::from_seed(1).fold("first steps");
  RecordBuffer state(model.state_size(), kLanes), action(model.action_size(), kLanes);
  StepBuffers buffers(model, kLanes);
  model.sample_initial({root.fold("start")}, state);
  const int num_seen = model.facts().num_observations;
  const bool summed = num_seen > 0 && num_seen <= kMostObservations;
  size_t emitted = 0, possible = 0;
  for (int t = 0; t < kDepth; ++t) {
    for (size_t i = 0; i < kLanes; ++i) {
      Rng rng(root.fold("action").fold(t), i);
      uniform_action(model.facts(), rng, action.at(i));
    }
    const StepResults out = buffers.results(kLanes);
    model.step(state, ConstRecords(action), {root.fold("step").fold(t)}, out);
    RecordBuffer next(model.state_size());  // after the first lane's action
    for (size_t i = 0; i < kLanes && model.has(Capability::kLikelihood); ++i) {
      if (out.ended[i]) continue;
      double p = 0;
      model.likelihood(out.seen.at(i), action.at(i), out.next.sub(i, 1), {&p, 1});
      ++emitted;
      possible += p > 0;
      if (same_record(action.at(i), action.at(0), model.action_size()))
        next.push_back(out.next.at(i));
    }
    if (summed && next.count() > 0) check_sum(model, action.at(0), next);
    std::memcpy(state.view().data, out.next.data, kLanes * model.state_size());
  }
  if (emitted > 0 && possible == 0)
    throw_unsound(model,
                  fmt::format("the likelihood of what was seen is 0 in all of {} steps", emitted),
                  action.at(0), state.at(0));
}

}  // namespace penumbra

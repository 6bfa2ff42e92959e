#include "penumbra/solvers/controller/sequence_plan.h"

#include <algorithm>
#include <numeric>

#include "penumbra/model/action_stock.h"

namespace penumbra::controller {
namespace {

constexpr int kLength = 12;       // steps of a sequence
constexpr int kSequences = 64;    // drawn at first; half as many around the best, each time
constexpr int kGenerations = 3;   // of those
constexpr int kBest = 6;          // around which others are drawn
constexpr double kFrom = 0.15;    // deviation of the first of these, in widths of the box
constexpr double kPersist = 0.7;  // chance to keep an action one more step
constexpr double kHint = 0.5;     // chance that one is of the first rows
constexpr size_t kDraws = 4;      // of chance, at least

}  // namespace

SequencePlan::SequencePlan(const Pomdp& model, const MdpValue& values, std::span<const float> first)
    : model_(model),
      values_(values),
      first_(first.begin(), first.end()),
      width_(model.action_size() / sizeof(float)) {}

SequencePlan::Sequence SequencePlan::draw(Rng& rng) const {
  Sequence out(kLength * width_);
  for (int t = 0; t < kLength; ++t) {
    const std::span<float> here = std::span(out).subspan(t * width_, width_);
    if (t > 0 && rng.bernoulli(kPersist)) {
      std::copy_n(out.begin() + static_cast<long>((t - 1) * width_), width_, here.begin());
    } else if (rng.bernoulli(kHint)) {
      const size_t row = rng.below(static_cast<uint32_t>(first_.size() / width_));
      std::copy_n(first_.begin() + static_cast<long>(row * width_), width_, here.begin());
    } else {
      draw_in_box(model_.facts(), rng, here);
    }
  }
  return out;
}

SequencePlan::Sequence SequencePlan::draw_around(const Sequence& centre, double deviation,
                                                 Rng& rng) const {
  Sequence out = centre;
  for (int t = 0; t < kLength; ++t) {
    if (rng.bernoulli(0.5)) continue;
    const std::span<float> here = std::span(out).subspan(t * width_, width_);
    draw_near(model_.facts(), std::span(centre).subspan(t * width_, width_), deviation, rng, here);
  }
  return out;
}

// Every sequence from every state, with common random numbers.
std::vector<double> SequencePlan::returns(const std::vector<Sequence>& sequences,
                                          ConstRecords states, RngKey key) {
  const size_t each = std::max(kDraws, states.count), n = sequences.size() * each;
  RecordBuffer state(model_.state_size(), n), action(model_.action_size(), n);
  std::vector<uint64_t> id(n), lane(n);
  for (size_t i = 0; i < n; ++i) {
    state.copy_from(i, states.at(i % each % states.count));
    id[i] = i % each;
    lane[i] = i / each;
  }
  StepBuffers buffers(model_, n);
  std::vector<double> total(sequences.size(), 0.0), later;
  double weight = 1;
  size_t live = n;
  for (int t = 0; t < kLength && live > 0; ++t, weight *= model_.facts().discount) {
    for (size_t i = 0; i < live; ++i)
      action.copy_from(i, reinterpret_cast<const std::byte*>(&sequences[lane[i]][t * width_]));
    const StepResults out = buffers.results(live);
    model_.step(state.sub(0, live), action.sub(0, live), {key.fold(t), 0, id.data()}, out);
    steps_ += live;
    size_t kept = 0;
    for (size_t i = 0; i < live; ++i) {
      total[lane[i]] += weight * out.reward[i];
      if (out.ended[i]) continue;
      state.copy_from(kept, out.next.at(i));
      id[kept] = id[i];
      lane[kept++] = lane[i];
    }
    live = kept;
  }
  later.resize(live);
  values_.value(state.sub(0, live), later);
  for (size_t i = 0; i < live; ++i) total[lane[i]] += weight * later[i];
  return total;
}

std::vector<float> SequencePlan::next(ConstRecords states, RngKey key) {
  Rng rng(key.fold("sequences"), 0);
  std::vector<Sequence> best, drawn;
  std::vector<double> value;
  if (!plan_.empty()) drawn.push_back(plan_);
  while (drawn.size() < kSequences) drawn.push_back(draw(rng));
  double deviation = kFrom;
  for (int generation = 0; generation <= kGenerations; ++generation) {
    const std::vector<double> found = returns(drawn, states, key.fold("returns"));
    best.insert(best.end(), drawn.begin(), drawn.end());
    value.insert(value.end(), found.begin(), found.end());
    std::vector<size_t> order(best.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return value[a] > value[b]; });
    order.resize(kBest);
    std::vector<Sequence> kept;
    std::vector<double> kept_value;
    for (size_t i : order) {
      kept.push_back(best[i]);
      kept_value.push_back(value[i]);
    }
    best = std::move(kept);
    value = std::move(kept_value);
    drawn.clear();
    for (int i = 0; i < kSequences / 2; ++i)
      drawn.push_back(draw_around(best[i % best.size()], deviation, rng));
    deviation /= 2;
  }
  const std::vector<float> action(best[0].begin(), best[0].begin() + static_cast<long>(width_));
  plan_.assign(best[0].begin() + static_cast<long>(width_), best[0].end());
  plan_.insert(plan_.end(), best[0].end() - static_cast<long>(width_), best[0].end());
  return action;
}

}  // namespace penumbra::controller

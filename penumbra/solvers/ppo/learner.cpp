#include "penumbra/solvers/ppo/learner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/base/share_out.h"

namespace penumbra::ppo {
namespace {

constexpr int kSlotLanes = 16, kMostSlots = 8;
constexpr double kLeastSpread = 1.0;  // of advantages, in deviations of the returns
constexpr double kFollow = 0.05;      // share of a round in the running moments of the returns

}  // namespace

Learner::Learner(const FeatureLayout& input, const nn::ActionHead& head, const Settings& settings,
                 RngKey key)
    : head_(head),
      settings_(settings),
      actor_(nn::RecurrentNet::random({input, settings.hidden, head.outputs()}, 0.01,
                                      key.fold("actor"))),
      critic_(nn::RecurrentNet::random({input, settings.hidden, 1}, 0.01, key.fold("critic"))),
      actor_adam_(actor_.packed().size()),
      critic_adam_(critic_.packed().size()),
      actor_back_(actor_.layout()),
      critic_back_(critic_.layout()) {
  refresh();
}

void Learner::refresh() {
  actor_back_.refresh(actor_.packed().data());
  critic_back_.refresh(critic_.packed().data());
}

// Van Hasselt et al. 2016: the last layer is changed so that its outputs in returns stay the same.
void Learner::rescale(const Batch& batch) {
  double sum = 0, squares = 0, count = 0;
  for (size_t i = 0; i < batch.target.size(); ++i) {
    if (!batch.valid[i]) continue;
    sum += batch.target[i];
    squares += double(batch.target[i]) * batch.target[i];
    ++count;
  }
  if (count == 0) return;
  const double follow = rounds_++ == 0 ? 1 : kFollow, old_middle = middle_, old_scale = scale_;
  middle_ += follow * (sum / count - middle_);
  square_ += follow * (squares / count - square_);
  scale_ = std::sqrt(std::max(square_ - middle_ * middle_, 1e-6 * std::max(1e-6, square_)));
  if (follow == 1) return;  // the outputs still mean nothing
  const nn::DenseLayer& head = critic_.layout().head;
  float* values = critic_.packed().data();
  for (int k = 0; k < head.in; ++k)
    values[head.weight(k, 0)] *= static_cast<float>(old_scale / scale_);
  values[head.bias] =
      static_cast<float>((old_scale * values[head.bias] + old_middle - middle_) / scale_);
  critic_back_.refresh(values);
}

int Learner::learn(const Batch& batch, const Factors& factors, RngKey key, ThreadPool& pool,
                   const std::function<bool()>& stop, bool& whole) {
  std::vector<int> order(batch.lanes);
  std::iota(order.begin(), order.end(), 0);
  const int parts = settings_.minibatches;
  whole = true;
  int steps = 0;
  for (int epoch = 0; epoch < settings_.epochs; ++epoch) {
    Rng rng(key.fold("order"), epoch);
    for (int i = batch.lanes - 1; i > 0; --i)
      std::swap(order[i], order[rng.below(static_cast<uint32_t>(i + 1))]);
    for (int m = 0; m < parts; ++m) {
      bool late = stop();
      pool.team().send_to_all(late);
      if (late) {
        whole = false;
        return steps;
      }
      const size_t begin = size_t(batch.lanes) * m / parts,
                   end = size_t(batch.lanes) * (m + 1) / parts;
      step(batch, std::span<const int>(order).subspan(begin, end - begin), factors, pool);
      ++steps;
    }
  }
  return steps;
}

void Learner::step(const Batch& batch, std::span<const int> lanes, const Factors& factors,
                   ThreadPool& pool) {
  Normal normal;
  double sum = 0, squares = 0, count = 0;
  for (int t = 0; t < batch.steps; ++t)
    for (int lane : lanes) {
      const size_t at = batch.at(t, lane);
      if (!batch.valid[at]) continue;
      sum += batch.advantage[at];
      squares += double(batch.advantage[at]) * batch.advantage[at];
      ++count;
    }
  if (count == 0) return;
  normal.mean = sum / count;
  // Not less than the returns' own spread: a precaution against blowing up small differences where
  // all actions taken are nearly as good. On rock-sample it makes no measured difference.
  const double spread = std::sqrt(std::max(0.0, squares / count - normal.mean * normal.mean));
  normal.scale = 1 / (std::max(spread, kLeastSpread * scale_) + 1e-8);
  normal.count = count;

  const size_t chunks = ThreadPool::num_chunks(lanes.size(), kSlotLanes);
  const size_t slots = std::min<size_t>(chunks, kMostSlots);
  gradients_.resize(std::max(gradients_.size(), 2 * slots));
  const bool alone = pool.team().size() == 1;
  const auto sent = share_out<std::vector<float>>(pool, 2 * slots, [&](size_t unit) {
    const bool actor = unit < slots;
    const size_t slot = unit % slots;
    auto& gradient = gradients_[unit];
    gradient.assign((actor ? actor_ : critic_).packed().size(), 0.0f);
    const size_t first = chunks * slot / slots, last = chunks * (slot + 1) / slots;
    for (size_t c = first; c < last; ++c) {
      const size_t begin = c * kSlotLanes, n = std::min<size_t>(kSlotLanes, lanes.size() - begin);
      add_gradient(actor, batch, lanes.subspan(begin, n), normal,
                   factors.entropy * settings_.entropy, gradient.data());
    }
    return alone ? std::vector<float>() : std::vector<float>(gradient.begin(), gradient.end());
  });
  for (size_t unit = 0; !alone && unit < 2 * slots; ++unit)
    gradients_[unit].assign(sent[unit].begin(), sent[unit].end());

  double squared[2] = {};
  auto parts = [&](bool actor) {
    std::vector<float*> all;
    for (size_t s = 0; s < slots; ++s) all.push_back(gradients_[actor ? s : slots + s].data());
    return all;
  };
  pool.for_chunks(2, 1, [&](size_t actor, size_t, size_t) {
    squared[actor] = nn::sum_gradients(parts(actor), (actor ? actor_ : critic_).packed().size());
  });
  const double norm = std::sqrt(squared[0] + squared[1]);
  if (!std::isfinite(norm)) return;  // a step into nowhere is not made
  const double scale = std::min(1.0, settings_.max_norm / (norm + 1e-12));
  pool.for_chunks(2, 1, [&](size_t actor, size_t, size_t) {
    nn::RecurrentNet& net = actor ? actor_ : critic_;
    (actor ? actor_adam_ : critic_adam_)
        .step(net.packed(), gradients_[actor ? 0 : slots], scale, factors.rate * settings_.rate);
    (actor ? actor_back_ : critic_back_).refresh(net.packed().data());
  });
}

std::unique_ptr<Learner::Scratch> Learner::take_scratch(bool actor, int steps) {
  {
    std::lock_guard lock(mutex_);
    if (!scratch_[actor].empty()) {
      auto scratch = std::move(scratch_[actor].back());
      scratch_[actor].pop_back();
      return scratch;
    }
  }
  auto scratch = std::make_unique<Scratch>();
  scratch->sequence =
      std::make_unique<nn::GruSequence>((actor ? actor_ : critic_).layout(), kSlotLanes, steps);
  return scratch;
}

void Learner::add_gradient(bool actor, const Batch& b, std::span<const int> lanes,
                           const Normal& normal, double entropy, float* gradient) {
  auto scratch = take_scratch(actor, b.steps);
  nn::GruSequence& sequence = *scratch->sequence;
  const nn::SequenceInput& input =
      scratch->inputs.take(b, lanes, b.steps, actor ? b.actor_memory : b.critic_memory);
  sequence.forward((actor ? actor_ : critic_).packed().data(), input);
  const size_t n = lanes.size();
  const int outputs = actor ? head_.outputs() : 1;
  for (int t = 0; t < b.steps; ++t)
    for (size_t i = 0; i < n; ++i) {
      const size_t at = b.at(t, lanes[i]);
      const int row = static_cast<int>(t * n + i);
      const float* out = sequence.outputs(row);
      float* slope = sequence.slopes(row);
      if (!b.valid[at]) {
        std::fill_n(slope, outputs, 0.0f);
        continue;
      }
      if (!actor) {
        const double target = (b.target[at] - middle_) / scale_;
        slope[0] = static_cast<float>(settings_.value_weight * (out[0] - target) / normal.count);
        continue;
      }
      const float* action = b.action.data() + at * b.action_width;
      const double advantage = (b.advantage[at] - normal.mean) * normal.scale;
      const double ratio =
          std::exp(head_.log_probability(out, action) - double(b.log_probability[at]));
      const bool clipped = advantage > 0 ? ratio > 1 + settings_.clip : ratio < 1 - settings_.clip;
      head_.slopes(out, action, clipped ? 0 : -ratio * advantage / normal.count,
                   -entropy / normal.count, slope);
    }
  sequence.backward(actor ? actor_back_ : critic_back_, input, gradient);
  std::lock_guard lock(mutex_);
  scratch_[actor].push_back(std::move(scratch));
}

}  // namespace penumbra::ppo

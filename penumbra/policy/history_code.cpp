#include "penumbra/policy/history_code.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/policy/simple.h"

namespace penumbra {
namespace {

constexpr int kMostPairs = 4096;
constexpr float kFarthest = 5;  // scaled values are cut here

// Middle and half width of each coordinate of the observations of random walks.
void measure_seen(const Pomdp& model, RngKey key, std::vector<float>& middle,
                  std::vector<float>& half) {
  constexpr size_t kLanes = 256;
  constexpr int kSteps = 32;
  const size_t dimension = model.seen_size() / sizeof(float);
  std::vector<double> sum(dimension), squares(dimension);
  RecordBuffer state(model.state_size(), kLanes), action(model.action_size(), kLanes);
  StepBuffers buffers(model, kLanes);
  const RandomPolicy random(model);
  model.sample_initial({key.fold("initial")}, state);
  for (int t = 0; t < kSteps; ++t) {
    const StepResults out = buffers.results(kLanes);
    random.act({}, {key.fold("act").fold(t)}, action.view());
    model.step(state, ConstRecords(action), {key.fold("step").fold(t)}, out);
    for (size_t i = 0; i < kLanes; ++i)
      for (size_t d = 0; d < dimension; ++d) {
        const double x = reinterpret_cast<const float*>(out.seen.at(i))[d];
        sum[d] += x;
        squares[d] += x * x;
      }
    std::memcpy(state.view().data, out.next.data, kLanes * model.state_size());
  }
  for (size_t d = 0; d < dimension; ++d) {
    const double mean = sum[d] / (kLanes * kSteps);
    const double variance = squares[d] / (kLanes * kSteps) - mean * mean;
    middle.push_back(static_cast<float>(mean));
    half.push_back(static_cast<float>(std::sqrt(std::max(variance, 1e-12))));
  }
}

}  // namespace

HistoryCode::HistoryCode(const Pomdp& model, RngKey key)
    : num_actions_(model.facts().num_actions), num_observations_(model.facts().num_observations) {
  const Facts& facts = model.facts();
  if (num_actions_ == 0)
    for (size_t d = 0; d < facts.action_low.size(); ++d) {
      action_middle_.push_back((facts.action_low[d] + facts.action_high[d]) / 2);
      action_half_.push_back(std::max(1e-6f, (facts.action_high[d] - facts.action_low[d]) / 2));
    }
  if (num_observations_ == 0) measure_seen(model, key, seen_middle_, seen_half_);
  place_blocks();
}

void HistoryCode::place_blocks() {
  first_.clear();
  sizes_.clear();
  int next = 0;
  auto add = [&](int size) {
    first_.push_back(next);
    sizes_.push_back(size);
    next += size;
  };
  if (num_actions_ > 0) add(num_actions_ + 1);
  if (num_observations_ > 0) add(num_observations_ + 1);
  const double pairs = (num_actions_ + 1.0) * (num_observations_ + 1.0);
  has_pairs_ = num_actions_ > 0 && num_observations_ > 0 && pairs <= kMostPairs;
  if (has_pairs_) add(static_cast<int>(pairs));
}

int HistoryCode::num_dense() const {
  const int values = action_dimension() + seen_dimension();
  return values > 0 ? values + 1 : 0;  // the last: 1 once there was a step
}

FeatureLayout HistoryCode::layout() const {
  return {sizes_, 0, num_dense()};
}

void HistoryCode::start(int32_t* index, float* dense) const {
  for (int b = 0; b < num_blocks(); ++b) index[b] = first_[b] + sizes_[b] - 1;
  std::fill_n(dense, num_dense(), 0.0f);
}

void HistoryCode::encode(const std::byte* action, const std::byte* seen, int32_t* index,
                         float* dense) const {
  int block = 0, a = 0, o = 0;
  if (num_actions_ > 0) {
    std::memcpy(&a, action, sizeof(int));
    index[block] = first_[block] + a;
    ++block;
  }
  if (num_observations_ > 0) {
    std::memcpy(&o, seen, sizeof(int));
    index[block] = first_[block] + o;
    ++block;
  }
  if (has_pairs_) index[block] = first_[block] + a * (num_observations_ + 1) + o;
  if (num_dense() == 0) return;
  auto scale = [&](const std::byte* record, const std::vector<float>& middle,
                   const std::vector<float>& half) {
    for (size_t d = 0; d < middle.size(); ++d) {
      float x;
      std::memcpy(&x, record + d * sizeof(float), sizeof(float));
      *dense++ = std::clamp((x - middle[d]) / half[d], -kFarthest, kFarthest);
    }
  };
  scale(action, action_middle_, action_half_);
  scale(seen, seen_middle_, seen_half_);
  *dense = 1;
}

void HistoryCode::action_record(const float* action, std::byte* record) const {
  if (num_actions_ > 0) {
    const int a = static_cast<int>(action[0]);
    std::memcpy(record, &a, sizeof(int));
    return;
  }
  for (size_t d = 0; d < action_middle_.size(); ++d) {
    const float x = action_middle_[d] + action_half_[d] * std::clamp(action[d], -1.0f, 1.0f);
    std::memcpy(record + d * sizeof(float), &x, sizeof(float));
  }
}

void HistoryCode::write(nn::ByteWriter& out) const {
  out.i32(num_actions_);
  out.i32(num_observations_);
  for (const auto* part : {&action_middle_, &action_half_, &seen_middle_, &seen_half_})
    out.floats(*part);
}

HistoryCode HistoryCode::read(nn::ByteReader& in) {
  HistoryCode code;
  code.num_actions_ = in.i32();
  code.num_observations_ = in.i32();
  for (auto* part :
       {&code.action_middle_, &code.action_half_, &code.seen_middle_, &code.seen_half_}) {
    *part = in.floats();
    for (float value : *part)
      if (!std::isfinite(value)) throw Error("a scale is not a number");
  }
  for (const auto* half : {&code.action_half_, &code.seen_half_})
    for (float value : *half)
      if (value <= 0) throw Error("a scale is not above zero");
  const bool actions_fit = (code.num_actions_ > 0) == code.action_middle_.empty();
  const bool seen_fits = (code.num_observations_ > 0) == code.seen_middle_.empty();
  if (code.num_actions_ < 0 || code.num_observations_ < 0 || !actions_fit || !seen_fits ||
      code.action_middle_.size() != code.action_half_.size() ||
      code.seen_middle_.size() != code.seen_half_.size() || code.num_actions_ > 1'000'000 ||
      code.num_observations_ > 100'000'000)
    throw Error("actions and observations do not fit their scales");
  code.place_blocks();
  return code;
}

}  // namespace penumbra

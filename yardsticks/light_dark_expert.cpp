#include "yardsticks/light_dark_expert.h"

#include <utility>

#include "domains/light_dark_space.h"

namespace penumbra {

LightDarkExpert::LightDarkExpert(const LightDarkRules& rules, int dimensions, double side_deviation,
                                 bool moved)
    : rules_(rules),
      dimensions_(dimensions),
      side_deviation_(side_deviation),
      moved_(moved),
      sure_(dimensions == 1 || moved ? 0.75 : 0.8),
      unsure_first_(dimensions == 1 || moved ? 0.85 : 0.5),
      unsure_side_(moved ? 0.6 : 0.35) {
  for (int c = 0; c < kCells; ++c)
    first_[c] =
        static_cast<float>(rules.start_mean + (8 * (c + 0.5) / kCells - 4) * rules.start_deviation);
}

void LightDarkExpert::start(Streams, Records memory) const {
  for (size_t i = 0; i < memory.count; ++i) {
    auto& m = memory.as<Memory>(i);
    m.moved = 0;
    for (int c = 0; c < kCells; ++c) {
      const float z = static_cast<float>(8 * (c + 0.5) / kCells - 4);
      m.weight[c] = std::exp(-0.5f * z * z);
    }
    for (int d = 0; d < kMostDimensions; ++d) {
      m.mean[d] = 0;
      m.variance[d] = static_cast<float>(side_deviation_ * side_deviation_);
    }
  }
}

int LightDarkExpert::decide(const Memory& m) const {
  double total = 0, sum = 0, squares = 0, inside = 0;
  for (int c = 0; c < kCells; ++c) {
    const double y = first_[c] + m.moved, w = m.weight[c];
    total += w;
    sum += w * y;
    squares += w * y * y;
    inside += std::abs(y) < rules_.goal_radius ? w : 0;
  }
  const double mean = sum / total, variance = squares / total - mean * mean;
  double at_goal = inside / total;
  bool unsure_sides = false;
  int worst = 0;  // the side that is least likely inside
  double worst_inside = 1;
  for (int d = 1; d < dimensions_; ++d) {
    const double deviation = std::sqrt(m.variance[d]), r = rules_.goal_radius;
    const double p =
        normal_cdf((r - m.mean[d]) / deviation) - normal_cdf((-r - m.mean[d]) / deviation);
    at_goal *= p;
    unsure_sides |= deviation > unsure_side_;
    if (p < worst_inside) {
      worst_inside = p;
      worst = d;
    }
  }
  auto toward = [&](double target) {
    return mean < target ? LightDarkRules::kRight : LightDarkRules::kLeft;
  };
  auto bring_home = [&](int d) { return 2 * d + (m.mean[d] < 0 ? 2 : 1); };
  if (at_goal >= sure_) return LightDarkRules::kStop;
  const bool unsure = unsure_sides || variance > unsure_first_ * unsure_first_;
  const bool at_light = std::abs(mean - rules_.light) < 0.75 * rules_.step_size;
  if (unsure && dimensions_ == 1) return toward(rules_.light);
  if (unsure && !at_light) return toward(rules_.light);
  // Whatever is heard at the light is sharp; a side must be moved there where only it is heard.
  if (worst > 0 && worst_inside < 0.9) return bring_home(worst);
  return unsure ? toward(rules_.light) : toward(0);
}

void LightDarkExpert::act(Records memory, Streams, Records action) const {
  for (size_t i = 0; i < memory.count; ++i) action.as<int>(i) = decide(memory.as<Memory>(i));
}

void LightDarkExpert::hear_first(Memory& m, float heard) const {
  float total = 0;
  for (int c = 0; c < kCells; ++c) {
    const float y = first_[c] + m.moved, deviation = rules_.deviation(y);
    const float z = (heard - y) / deviation;
    m.weight[c] *= std::exp(-0.5f * z * z) / deviation;
    total += m.weight[c];
  }
  for (float& w : m.weight) w = total > 0 ? w / total : 1.0f / kCells;
}

void LightDarkExpert::observe(Records memory, ConstRecords action, ConstRecords seen,
                              Streams) const {
  for (size_t i = 0; i < memory.count; ++i) {
    auto& m = memory.as<Memory>(i);
    const int a = action.as<int>(i);
    using Moves = LightDarkSpace<kMostDimensions, false>;  // numbered alike in any dimension
    const int coordinate = Moves::moved_coordinate(a);
    const float by = Moves::direction(a) * rules_.step_size;
    (coordinate == 0 ? m.moved : m.mean[coordinate]) += by;
    const float* heard = reinterpret_cast<const float*>(seen.at(i));
    if (!moved_ || coordinate == 0) hear_first(m, heard[0]);
    if (dimensions_ == 1 || (moved_ && coordinate == 0)) continue;
    double total = 0, noise = 0;
    for (int c = 0; c < kCells; ++c) {
      const double deviation = rules_.deviation(first_[c] + m.moved);
      total += m.weight[c];
      noise += m.weight[c] * deviation * deviation;
    }
    noise /= total;
    for (int d = 1; d < dimensions_; ++d) {
      if (moved_ && d != coordinate) continue;
      const double gain = m.variance[d] / (m.variance[d] + noise);
      m.mean[d] += static_cast<float>(gain * (heard[moved_ ? 0 : d] - m.mean[d]));
      m.variance[d] *= static_cast<float>(1 - gain);
    }
  }
}

namespace {

template <int kDimensions, bool kMoved>
std::unique_ptr<Policy> of_space(const Pomdp& model) {
  using Space = LightDarkSpace<kDimensions, kMoved>;
  const auto* space = dynamic_cast<const Adapted<Space>*>(&model);
  if (!space) return nullptr;
  return std::make_unique<LightDarkExpert>(space->model(), kDimensions,
                                           space->model().side_deviation, kMoved);
}

template <int... kLess2>
std::unique_ptr<Policy> of_any_space(const Pomdp& model, std::integer_sequence<int, kLess2...>) {
  std::unique_ptr<Policy> found;
  ((found || (found = of_space<kLess2 + 2, false>(model)) ||
    (found = of_space<kLess2 + 2, true>(model))),
   ...);
  return found;
}

}  // namespace

std::unique_ptr<Policy> light_dark_expert(const Pomdp& model) {
  if (const auto* line = dynamic_cast<const Adapted<LightDark>*>(&model))
    return std::make_unique<LightDarkExpert>(line->model(), 1, 0, false);
  return of_any_space(model,
                      std::make_integer_sequence<int, LightDarkExpert::kMostDimensions - 1>());
}

}  // namespace penumbra

#include "domains/light_dark.h"

#include <fmt/format.h>

#include "domains/light_dark_space.h"

namespace penumbra {

Facts LightDark::facts() const {
  Facts f;
  f.name = name;
  f.discount = discount;
  f.num_actions = 3;
  f.action_names = {"left", "stop", "right"};
  f.min_reward = std::min(0.0f, miss_penalty);
  f.max_reward = std::max(0.0f, goal_reward);
  return f;
}

Scene LightDark::scene() const {
  return {"light-dark",
          {"y", "stopped"},
          1,
          {{"light", {light}},
           {"noise", {noise_slope, noise_floor}},
           {"goal", {-goal_radius, goal_radius}},
           {"start", {static_cast<float>(start_mean), static_cast<float>(start_deviation)}}}};
}

std::string LightDark::draw(const State& s) const {
  std::string line;
  for (int y = -10; y <= 10; ++y) {
    const bool here = std::lround(s.y) == y;
    line += here ? (s.stopped ? 'X' : '@') : y == 0 ? '0' : y == std::lround(light) ? '*' : '.';
  }
  return line +
         (s.y < -10.5f  ? "  (left of the picture)"
          : s.y > 10.5f ? "  (right of it)"
                        : "") +
         "\n";
}

std::string LightDark::describe_state(const State& s) const {
  return fmt::format("y = {:.3f}{}", s.y, s.stopped ? ", stopped" : "");
}

namespace {

template <int kDimensions>
std::unique_ptr<Pomdp> make_space(const LightDarkRules& rules, double side_deviation, bool moved) {
  auto make = [&](auto m) {
    static_cast<LightDarkRules&>(m) = rules;
    m.side_deviation = side_deviation;
    return adapt(m);
  };
  return moved ? make(LightDarkSpace<kDimensions, true>{})
               : make(LightDarkSpace<kDimensions, false>{});
}

}  // namespace

std::unique_ptr<Pomdp> make_light_dark(Params& p) {
  LightDark m;
  m.discount = p.real("discount", 0.9, 0, 0.999999, "gamma");
  m.step_size = static_cast<float>(p.real("step_size", 1, 1e-3, 100, "length of a move"));
  m.light = static_cast<float>(p.real("light", 5, -1000, 1000, "where observations are sharp"));
  m.noise_slope = static_cast<float>(
      p.real("noise_slope", 0.70710678, 0, 1000, "deviation per distance from the light"));
  m.noise_floor =
      static_cast<float>(p.real("noise_floor", 0.01, 1e-6, 1000, "deviation at the light"));
  m.goal_reward = static_cast<float>(p.real("goal_reward", 10, 0, 1e6, "for stopping at the goal"));
  m.miss_penalty =
      static_cast<float>(p.real("miss_penalty", -10, -1e6, 0, "for stopping elsewhere"));
  m.start_mean = p.real("start_mean", 2, -1000, 1000, "of the first position");
  m.start_deviation = p.real("start_deviation", 3, 0, 1000, "of the first position");
  const int dimensions = p.integer("dimensions", 1, 1, 8, "coordinates; the first has the light");
  const double side_deviation =
      p.real("side_deviation", 1.5, 0, 1000, "of the other coordinates at first, around 0");
  const bool moved =
      p.word("sensor", {"all", "moved"}, "hears all coordinates, or only the moved one") == "moved";
  m.name = p.canonical();
  switch (dimensions) {
    case 2:
      return make_space<2>(m, side_deviation, moved);
    case 3:
      return make_space<3>(m, side_deviation, moved);
    case 4:
      return make_space<4>(m, side_deviation, moved);
    case 5:
      return make_space<5>(m, side_deviation, moved);
    case 6:
      return make_space<6>(m, side_deviation, moved);
    case 7:
      return make_space<7>(m, side_deviation, moved);
    case 8:
      return make_space<8>(m, side_deviation, moved);
    default:
      return adapt(m);
  }
}

}  // namespace penumbra

#include "yardsticks/lunar_lander_expert.h"

#include <algorithm>

namespace penumbra {

LunarLander::Action LunarLanderExpert::control(const LunarLander::State& s) const {
  constexpr float kBrake = 3;      // m/s^2, kept in reserve: half of what the main thrust can do
  constexpr float kTouchDown = 1;  // m/s
  const float dt = model().dt;
  // The position one step ahead is settled already; the speed there is what a thrust changes.
  const float height = std::max(s.z + s.vz * dt - LunarLander::kGround, 0.0f);
  const float fall = -std::sqrt(2 * kBrake * height + kTouchDown * kTouchDown);
  const float up = (fall - s.vz) / dt + LunarLander::kGravity;
  const float main = std::clamp(up / std::cos(s.lean), 0.0f, LunarLander::kMaxMain);

  // The lean back to the middle, and the thrust that brings the turning rate to where it leads
  // there. A positive lean pushes to the left.
  const float lean = std::clamp(0.02f * s.x + 0.08f * s.vx, -0.2f, 0.2f);
  const float lean_ahead = s.lean + s.turn_rate * dt;
  const float turn = std::clamp((lean - lean_ahead) / (3 * dt), -0.3f, 0.3f);
  const float torque = (turn - s.turn_rate) / dt * LunarLander::kInertia;  // = -offset * side
  const float wish = std::clamp(-s.vx - 0.2f * s.x, -2.0f, 2.0f);
  const float strength = std::clamp(std::abs(torque), std::abs(wish), LunarLander::kMaxSide);
  const float side = std::copysign(strength, wish);
  return {side, main, strength > 0 ? std::clamp(-torque / side, -1.0f, 1.0f) : 0};
}

LunarLander::Action LunarLanderExpert::decide(Belief belief) const {
  LunarLander::State mean{};
  const float share = 1 / static_cast<float>(belief.size());
  for (const LunarLander::State& s : belief) {
    mean.x += s.x * share;
    mean.z += s.z * share;
    mean.lean += s.lean * share;
    mean.vx += s.vx * share;
    mean.vz += s.vz * share;
    mean.turn_rate += s.turn_rate * share;
  }
  return control(mean);
}

}  // namespace penumbra

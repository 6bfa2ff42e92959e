#include "yardsticks/rover_expert.h"

namespace penumbra {
namespace {
constexpr float kHopeful = 0.45f, kSure = 0.85f;
constexpr double kClose = 0.75;  // to the stone: near enough for checks and for picking it up
}  // namespace

void RoverExpert::start(Streams, Records memory) const {
  for (size_t i = 0; i < memory.count; ++i)
    memory.as<Memory>(i) = {{1, Rover::kSide / 2, 0, 0}, static_cast<float>(model_.prior_good)};
}

int RoverExpert::decide(const Memory& m) const {
  const Rover::State& at = m.at;
  if (m.good >= kHopeful) {
    if (model_.distance(at) <= kClose) return m.good >= kSure ? Rover::kPick : Rover::kCheck;
    const Rover::Point stone = Rover::kStones[at.room];
    const float dx = stone.x - at.x, dy = stone.y - at.y;
    if (std::abs(dx) > std::abs(dy)) return dx > 0 ? Rover::kEast : Rover::kWest;
    return dy > 0 ? Rover::kNorth : Rover::kSouth;
  }
  const float off = at.y - Rover::kSide / 2;
  if (std::abs(off) > 0.6f) return off > 0 ? Rover::kSouth : Rover::kNorth;
  return Rover::kEast;
}

void RoverExpert::act(Records memory, Streams, Records action) const {
  for (size_t i = 0; i < memory.count; ++i) action.as<int>(i) = decide(memory.as<Memory>(i));
}

void RoverExpert::observe(Records memory, ConstRecords action, ConstRecords seen, Streams) const {
  static constexpr float kDx[] = {0, 1, 0, -1}, kDy[] = {1, 0, -1, 0};
  for (size_t i = 0; i < memory.count; ++i) {
    auto& [at, good] = memory.as<Memory>(i);
    const int a = action.as<int>(i), o = index_of(seen, i);
    if (a == Rover::kCheck) {
      const auto right = static_cast<float>(model_.accuracy(at));
      const float if_good = o == model_.seen_good() ? right : 1 - right;
      good = good * if_good / (good * if_good + (1 - good) * (1 - if_good));
      continue;
    }
    if (a == Rover::kPick) {
      good = 0;
      continue;
    }
    const int room = o / 2;
    const bool touches = o % 2;
    float x = at.x + kDx[a], y = at.y + kDy[a];
    if (room != at.room) {
      x += room > at.room ? -Rover::kSide : Rover::kSide;
      y = std::clamp(y, 1.2f, 2.8f);  // somewhere in the door
      at.room = static_cast<int16_t>(room);
      good = static_cast<float>(model_.prior_good);
    } else if (touches) {
      if (kDx[a] != 0) x = kDx[a] > 0 ? Rover::kSide : 0;
      if (kDy[a] != 0) y = kDy[a] > 0 ? Rover::kSide : 0;
      // It runs into the wall beside the door: on which side is not known.
      if (a == Rover::kEast && std::abs(y - Rover::kSide / 2) < Rover::kDoorHalf)
        y += y > Rover::kSide / 2 ? 1.0f : -1.0f;
    }
    const float edge = touches ? 0 : 0.1f;
    at.x = std::clamp(x, edge, Rover::kSide - edge);
    at.y = std::clamp(y, edge, Rover::kSide - edge);
  }
}

}  // namespace penumbra

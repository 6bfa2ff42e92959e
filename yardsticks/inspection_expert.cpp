#include "yardsticks/inspection_expert.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace penumbra {
namespace {

using Point = Inspection::Point;
constexpr int kRooms = Inspection::kRooms;
constexpr float kFar = std::numeric_limits<float>::infinity();

// What the rule makes of a belief.
struct Guess {
  float x = 0, y = 0, heading = 0, battery = 0;
  float open[kRooms] = {}, faulty[kRooms] = {};  // probabilities
};

Guess guess_of(std::span<const Inspection::State> belief) {
  Guess g;
  float c = 0, s = 0;
  const float share = 1 / static_cast<float>(belief.size());
  for (const Inspection::State& p : belief) {
    g.x += p.x * share;
    g.y += p.y * share;
    g.battery += p.battery * share;
    c += std::cos(p.heading);
    s += std::sin(p.heading);
    for (int r = 0; r < kRooms; ++r) {
      g.open[r] += static_cast<float>(p.open >> r & 1) * share;
      g.faulty[r] += static_cast<float>(p.faulty >> r & 1) * share;
    }
  }
  g.heading = std::atan2(s, c);
  return g;
}

float between(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

// The corridor is 0, rooms are counted from 1.
int region(Point p) {
  if (p.y < Inspection::kCorridor) return 0;
  return 1 + std::clamp(static_cast<int>(p.x / Inspection::kRoomWidth), 0, kRooms - 1);
}

struct Way {
  float length = kFar;
  Point next{};  // where to drive now
};

// The shortest way through doors that are likely enough open. There is a point on either side of
// each door and passage; points in the same room see each other.
Way way_to(Point from, Point to, const Guess& g) {
  constexpr float kSide = 0.7f, kHopeful = 0.3f, kReached = 0.4f, kAside = 0.3f;
  std::vector<Point> points = {to};  // then pairs
  std::vector<bool> passable;
  for (int r = 0; r < kRooms; ++r) {
    const Point d = Inspection::door(r);
    points.insert(points.end(), {{d.x, d.y - kSide}, {d.x, d.y + kSide}});
    passable.push_back(g.open[r] >= kHopeful);
  }
  for (int r = 1; r < kRooms; ++r) {
    const float x = Inspection::kRoomWidth * static_cast<float>(r);
    points.insert(points.end(), {{x - kSide, 3.5f}, {x + kSide, 3.5f}});
    passable.push_back(true);
  }
  const int n = static_cast<int>(points.size());
  auto step = [&](int a, int b) {
    const bool pair = a > 0 && b > 0 && (a - 1) / 2 == (b - 1) / 2 && passable[(a - 1) / 2];
    return pair || region(points[a]) == region(points[b]) ? between(points[a], points[b]) : kFar;
  };
  std::vector<float> rest(n, kFar);  // of the way to `to`, by Bellman and Ford
  std::vector<int> after(n, 0);
  rest[0] = 0;
  for (int round = 0; round < n; ++round)
    for (int a = 1; a < n; ++a)
      for (int b = 0; b < n; ++b)
        if (step(a, b) + rest[b] < rest[a]) {
          rest[a] = step(a, b) + rest[b];
          after[a] = b;
        }
  // Right before the opening that leads to a: it need not go to the point on this side first.
  auto before = [&](int a) {
    if (a == 0 || !passable[(a - 1) / 2]) return false;
    const Point b = points[(a - 1) / 2 * 2 + (a % 2 ? 2 : 1)];  // the other one of the pair
    const bool upright = b.x == points[a].x;
    const float off = upright ? from.x - b.x : from.y - b.y;
    return region(b) == region(from) && std::abs(off) < kAside && between(from, b) < 2 * kSide;
  };
  Way best;
  int first = 0;
  for (int a = 0; a < n; ++a) {
    const float length = between(from, points[a]) + rest[a];
    if (!(region(points[a]) == region(from) || before(a)) || length >= best.length) continue;
    best.length = length;
    first = a;
  }
  while (first != 0 && between(from, points[first]) < kReached) first = after[first];
  best.next = points[first];
  return best;
}

int steer(const Guess& g, Point to) {
  const float bearing = std::atan2(to.y - g.y, to.x - g.x);
  const auto off = static_cast<float>(std::remainder(bearing - g.heading, 2 * std::numbers::pi));
  if (std::abs(off) <= 0.55f * Inspection::kTurn) return Inspection::kForward;
  return off > 0 ? Inspection::kLeft : Inspection::kRight;
}

}  // namespace

int InspectionExpert::decide(Belief belief) const {
  constexpr float kSure = 0.85f, kFine = 0.15f, kClose = 0.75f;
  constexpr float kPerMetre = 1.5f, kReserve = 2;  // battery, turns included
  const Guess g = guess_of(belief);
  const Point here{g.x, g.y}, dock = Inspection::kDockAt;
  int chosen = -1;
  Way best = way_to(here, dock, g);
  float nearest = kFar;
  for (int r = 0; r < kRooms; ++r) {
    if (g.faulty[r] < kFine) continue;
    const Point place = Inspection::place(r);
    const Way there = way_to(here, place, g);
    const float back = way_to(place, dock, g).length;
    if (kPerMetre * (there.length + back) + kReserve > g.battery || there.length >= nearest)
      continue;
    nearest = there.length;
    best = there;
    chosen = r;
  }
  if (chosen >= 0 && between(here, Inspection::place(chosen)) <= kClose)
    return g.faulty[chosen] >= kSure ? Inspection::kReport : Inspection::kLook;
  if (chosen < 0 && between(here, dock) <= kClose) return Inspection::kDock;
  return steer(g, best.next);
}

}  // namespace penumbra

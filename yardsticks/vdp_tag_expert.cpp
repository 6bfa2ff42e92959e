#include "yardsticks/vdp_tag_expert.h"

namespace penumbra {

VdpTag::Action VdpTagExpert::decide(Belief belief) const {
  constexpr double kWide = 0.01;  // the root of the determinant of the covariance
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  const double n = static_cast<double>(belief.size());
  for (const VdpTag::State& s : belief) {
    x += s.target.x / n;
    y += s.target.y / n;
  }
  for (const VdpTag::State& s : belief) {
    const double dx = s.target.x - x, dy = s.target.y - y;
    xx += dx * dx / n;
    xy += dx * dy / n;
    yy += dy * dy / n;
  }
  const bool look = xx * yy - xy * xy > kWide * kWide;
  const VdpTag::Point agent = belief[0].agent;
  const VdpTag::Point to = VdpTag::carried({static_cast<float>(x), static_cast<float>(y)});
  const float angle = std::atan2(to.y - agent.y, to.x - agent.x);
  return {angle < 0 ? angle + VdpTag::kTurn : angle, look ? 1.0f : 0.0f};
}

}  // namespace penumbra

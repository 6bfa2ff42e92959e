#include "domains/light_dark.h"

#include <gtest/gtest.h>

#include "penumbra/evaluate/score.h"

namespace penumbra {
namespace {

using State = LightDark::State;

Outcome<State, float> step(State s, int action, uint64_t lane = 0) {
  Rng rng(RngKey::from_seed(1), lane);
  return LightDark{}.step(s, action, rng);
}

TEST(LightDark, MovesByOneForNothing) {
  EXPECT_EQ(step({2.5f, 0}, LightDark::kLeft).next.y, 1.5f);
  EXPECT_EQ(step({2.5f, 0}, LightDark::kRight).next.y, 3.5f);
  EXPECT_EQ(step({2.5f, 0}, LightDark::kRight).reward, 0);
}

TEST(LightDark, StoppingPaysNearTheOriginOnly) {
  EXPECT_EQ(step({0.99f, 0}, LightDark::kStop).reward, 10);
  EXPECT_EQ(step({-0.99f, 0}, LightDark::kStop).reward, 10);
  EXPECT_EQ(step({1, 0}, LightDark::kStop).reward, -10);
  EXPECT_TRUE(LightDark{}.is_terminal(step({1, 0}, LightDark::kStop).next));
}

TEST(LightDark, NoiseGrowsWithTheDistanceFromTheLight) {
  EXPECT_NEAR(LightDark{}.deviation(5), 0.01, 1e-7);
  EXPECT_NEAR(LightDark{}.deviation(0), 5 / std::sqrt(2.0) + 0.01, 1e-6);
  double squares = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double error = step({2, 0}, LightDark::kRight, i).seen - 3;
    squares += error * error / 20'000;
  }
  EXPECT_NEAR(std::sqrt(squares), 2 / std::sqrt(2.0) + 0.01, 0.05);
}

TEST(LightDark, MdpValueWalksStraightToTheGoal) {
  const LightDark m;
  EXPECT_NEAR(m.mdp_value({0.5f, 0}), 10, 1e-9);
  EXPECT_NEAR(m.mdp_value({1, 0}), 9, 1e-9);
  EXPECT_NEAR(m.mdp_value({-1.5f, 0}), 9, 1e-9);
  EXPECT_NEAR(m.mdp_value({2, 0}), 8.1, 1e-9);
  EXPECT_NEAR(m.mdp_value({-7.3f, 0}), 10 * std::pow(0.9, 7), 1e-9);
  EXPECT_EQ(m.mdp_value({0, 1}), 0);
}

// Nothing but noise hides the first position: a grid over it makes Bayes' rule exact. Stops when
// the goal is likely enough; goes to the light while unsure of its place; else to the goal.
class LightDarkHeuristic final : public Policy {
 public:
  static constexpr int kCells = 480;
  struct Memory {
    float moved;           // since the start
    float weight[kCells];  // of first positions -10 ... 14
  };

  std::string describe() const override { return "light-dark heuristic"; }
  size_t memory_size() const override { return sizeof(Memory); }
  void start(Streams, Records memory) const override {
    for (size_t i = 0; i < memory.count; ++i) {
      auto& m = memory.as<Memory>(i);
      m.moved = 0;
      for (int c = 0; c < kCells; ++c) {
        const float z = (first_position(c) - 2) / 3;
        m.weight[c] = std::exp(-0.5f * z * z);
      }
    }
  }
  void act(Records memory, Streams, Records action) const override {
    for (size_t i = 0; i < memory.count; ++i) {
      const auto& m = memory.as<Memory>(i);
      double total = 0, sum = 0, squares = 0, at_goal = 0;
      for (int c = 0; c < kCells; ++c) {
        const double y = first_position(c) + m.moved, w = m.weight[c];
        total += w;
        sum += w * y;
        squares += w * y * y;
        at_goal += std::abs(y) < 1 ? w : 0;
      }
      const double mean = sum / total, variance = squares / total - mean * mean;
      const double target = variance > 0.85 * 0.85 ? 5 : 0;
      action.as<int>(i) = at_goal >= 0.75 * total ? LightDark::kStop
                          : mean < target         ? LightDark::kRight
                                                  : LightDark::kLeft;
    }
  }
  void observe(Records memory, ConstRecords action, ConstRecords seen, Streams) const override {
    for (size_t i = 0; i < memory.count; ++i) {
      auto& m = memory.as<Memory>(i);
      m.moved += static_cast<float>(action.as<int>(i) - LightDark::kStop);
      float total = 0;
      for (int c = 0; c < kCells; ++c) {
        const float y = first_position(c) + m.moved, deviation = model_.deviation(y);
        const float z = (seen.as<float>(i) - y) / deviation;
        m.weight[c] *= std::exp(-0.5f * z * z) / deviation;
        total += m.weight[c];
      }
      for (float& w : m.weight) w = total > 0 ? w / total : 1.0f / kCells;
    }
  }

 private:
  static float first_position(int cell) { return -10 + (static_cast<float>(cell) + 0.5f) * 0.05f; }
  LightDark model_;
};

TEST(LightDark, TheHeuristicPolicyScoresWhatIsKnown) {
  const auto model = adapt(LightDark{});
  ThreadPool pool(2);
  EvaluateOptions options;
  options.episodes = 60'000;
  const Score score = evaluate(*model, LightDarkHeuristic(), options, pool);
  EXPECT_NEAR(score.mean, 3.94, 0.02 + score.standard_error);
  EXPECT_LT(score.standard_error, 0.01);
}

TEST(LightDark, DrawsTheLine) {
  EXPECT_EQ(LightDark{}.draw({2, 0}), "..........0.@..*.....\n");
  EXPECT_EQ(LightDark{}.draw({0, 1}), "..........X....*.....\n");
}

}  // namespace
}  // namespace penumbra

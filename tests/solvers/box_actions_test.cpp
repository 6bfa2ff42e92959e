// Solvers on a box of actions, without a table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/policy/playable.h"
#include "penumbra/solvers/real_actions.h"
#include "tests/conformance/solver_kit.h"
#include "tests/error_of.h"
#include "tests/io/compiled_controller.h"
#include "tests/solvers/aim.h"

namespace penumbra {
namespace {

// Of a controller for Aim, exactly.
double value_of(const Fsc& fsc) {
  double value = 0;
  for (int mark : {0, 1}) {
    auto reward = [&](int node) {
      const std::span<const float> shot = fsc.real_action(fsc.action[node]);
      return 1 - 5 * (std::abs(shot[0] - Aim::kMarks[mark].x) +
                      std::abs(shot[1] - Aim::kMarks[mark].y));
    };
    value += 0.5 * (reward(fsc.start) + Aim::kDiscount * reward(fsc.next(fsc.start, mark)));
  }
  return value;
}

class BoxActions : public testing::TestWithParam<const char*> {
 protected:
  Solution run(const Limits& limits, int threads = 1) const {
    return solve(GetParam(), *model_, limits, threads);
  }
  // pomcgs counts trials, and nvi plans on the first actions before its rounds begin.
  uint64_t enough() const {
    const std::string solver = GetParam();
    return solver == "pomcgs" ? 6000 : solver == "nvi" ? 3000 : 600;
  }

  std::unique_ptr<Pomdp> model_ = adapt(Aim{});
};

TEST_P(BoxActions, FindAnActionThatIsInNoTable) {
  const Solution s = run(work(enough()));
  const Fsc& fsc = controller_of(s);
  // Second shots may be off by 0.017 in all; those of the first actions are off by 0.08.
  EXPECT_GT(value_of(fsc), Aim::kOptimum - 0.08);
  EXPECT_LT(value_of(fsc), Aim::kOptimum + 1e-5);
  EXPECT_EQ(fsc.action_width, 2);
  EXPECT_NO_THROW(check_fsc(fsc, model_->facts()));
}

TEST_P(BoxActions, GiveTheSamePolicyWithAnyNumberOfThreads) {
  const auto one = encode_policy(policy_of(run(work(100)), *model_));
  for (int threads : {2, 5})
    EXPECT_EQ(one, encode_policy(policy_of(run(work(100), threads), *model_))) << threads;
}

TEST_P(BoxActions, GoOnAfterAStopAsIfThereHadBeenNone) {
  const auto never_stopped = encode_policy(policy_of(run(work(200)), *model_));
  MemoryCheckpoints checkpoints;
  Solution last;
  for (uint64_t part : {50, 100, 200}) {
    Limits limits = work(part);
    limits.checkpoints = &checkpoints;
    last = run(limits, part == 200 ? 2 : 1);
  }
  EXPECT_EQ(encode_policy(policy_of(last, *model_)), never_stopped);
}

TEST_P(BoxActions, GiveAPolicyWithoutAnyBudget) {
  Limits limits;
  limits.cancelled = [] { return true; };
  EXPECT_NO_THROW(playable(policy_of(run(limits), *model_), *model_));
}

TEST_P(BoxActions, GiveAPolicyThatIsTheSameAfterSavingAndLoading) {
  const PolicyFile saved = policy_of(run(work(100)), *model_);
  const PolicyFile loaded = decode_policy(encode_policy(saved), "memory");
  EXPECT_EQ(loaded.controller(), saved.controller());
  EXPECT_EQ(loaded.num_actions, saved.controller().num_real_actions());
  EXPECT_EQ(loaded.action_names, saved.action_names);
  EXPECT_NO_THROW(check_policy_fits(loaded, *model_, "memory"));
}

TEST_P(BoxActions, GiveAPolicyThatPlaysTheSameAsC) {
  const PolicyFile policy = policy_of(run(work(100)), *model_);
  ThreadPool pool(1);
  const EvaluateOptions how{.episodes = 500};
  EXPECT_EQ(evaluate(*model_, *playable(policy, *model_), how, pool).mean,
            evaluate(*model_, CompiledController(policy), how, pool).mean);
}

INSTANTIATE_TEST_SUITE_P(All, BoxActions, testing::Values("nvi", "mcvi", "pomcgs"),
                         [](const auto& c) { return std::string(c.param); });

class HeardActions : public testing::Test {
 protected:
  Solution run(const Limits& limits, int threads = 1) const {
    return solve("mcvi", *model_, limits, threads, 1,
                 "observations=continuous continuous-score=128");
  }
  std::unique_ptr<Pomdp> model_ = adapt(HeardAim{});
};

TEST_F(HeardActions, FindAnActionThatIsInNoTable) {
  const Solution s = run(work(600));
  ThreadPool pool(1);
  const Score score = evaluate(*model_, *playable(s.policy, *model_), {.episodes = 20'000}, pool);
  EXPECT_GT(score.mean, Aim::kOptimum - 0.15);
}

TEST_F(HeardActions, AreTheSameWithAnyNumberOfThreadsAndAfterAStop) {
  const auto one = encode_policy(policy_of(run(work(60)), *model_));
  EXPECT_EQ(one, encode_policy(policy_of(run(work(60), 3), *model_)));
  MemoryCheckpoints checkpoints;
  Solution last;
  for (uint64_t part : {20, 60}) {
    Limits limits = work(part);
    limits.checkpoints = &checkpoints;
    last = run(limits);
  }
  EXPECT_EQ(encode_policy(policy_of(last, *model_)), one);
}

TEST_F(HeardActions, AreTheSameAfterSavingAndLoading) {
  const PolicyFile saved = policy_of(run(work(30)), *model_);
  const PolicyFile loaded = decode_policy(encode_policy(saved), "memory");
  EXPECT_NO_THROW(check_policy_fits(loaded, *model_, "memory"));
  EXPECT_EQ(encode_policy(loaded), encode_policy(saved));
  ThreadPool pool(1);
  EXPECT_EQ(evaluate(*model_, *playable(saved, *model_), {.episodes = 200}, pool).mean,
            evaluate(*model_, *playable(loaded, *model_), {.episodes = 200}, pool).mean);
}

TEST(RealActions, StandInPlaceOfTheRowsOfAStock) {
  const auto model = adapt(Aim{});
  ActionStock stock(*model, std::vector<float>{0, 0, 1, 1});
  Fsc fsc;
  fsc.num_observations = 2;
  fsc.add_node(stock.add(std::vector<float>{0.25f, 0.75f}));
  const Fsc real = with_real_actions(fsc, stock);
  EXPECT_THAT(real.action_values, testing::ElementsAre(0.25f, 0.75f));
  EXPECT_THAT(real.action, testing::ElementsAre(0));
  EXPECT_EQ(with_real_actions(real, stock), real);
  EXPECT_THAT(error_of([&] { check_fsc(fsc, model->facts()); }), testing::HasSubstr("box of 2"));
}

}  // namespace
}  // namespace penumbra

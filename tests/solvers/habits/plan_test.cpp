#include "penumbra/solvers/habits/plan.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/model/adapt.h"
#include "penumbra/policy/named.h"
#include "penumbra/solvers/habits/habit_controller.h"

namespace penumbra::habits {
namespace {

const auto kNever = [] { return false; };

double score_of(const Pomdp& model, const Fsc& fsc, ThreadPool& pool) {
  return evaluate(model, FscPolicy(fsc, model.facts()), {.episodes = 5000}, pool).mean;
}

// A light is seen that says which of three buttons pays.
struct Lights {
  struct State {
    int light;
  };
  using Observation = int;
  Facts facts() const {
    Facts f;
    f.name = "lights";
    f.discount = 0.9;
    f.num_actions = f.num_observations = 3;
    f.min_reward = 0;
    f.max_reward = 1;
    return f;
  }
  State sample_initial(Rng& rng) const { return {static_cast<int>(rng.below(3))}; }
  bool is_terminal(const State&) const { return false; }
  Outcome<State, int> step(const State& s, int action, Rng& rng) const {
    const int next = static_cast<int>(rng.below(3));
    return {{next}, next, action == s.light ? 1.0f : 0.0f};
  }
  FeatureLayout features() const {
    FeatureLayout layout;
    layout.categories = {3};
    return layout;
  }
  void encode(const State& s, FeatureRow row) const { row.category[0] = s.light; }
};
static_assert(Model<Lights>);

TEST(Habits, LearnWhatToDoAfterEachObservation) {
  const auto model = adapt(Lights{});
  ThreadPool pool(2);
  const HabitOptions options{.depth = 30};
  Habits habits(MemoryForm{}, options, RngKey::from_seed(1));
  habits.learn(*model, 200);
  for (int seen = 0; seen < 3; ++seen)
    for (int action = 0; action < 3; ++action)
      EXPECT_EQ(habits.best_action(situation_of({}, {}, {}, action, seen, -1)), seen);
  const Fsc fsc = make_controller(*model, habits, options, 16, 100, RngKey::from_seed(2), pool);
  EXPECT_NEAR(score_of(*model, fsc, pool), 1 / 3.0 + 9, 0.1);
}

TEST(Habits, ControllersKeepToTheMostVisitedNodes) {
  const auto model = load_finite_domain("pocman(map=micro)");
  ThreadPool pool(2);
  const HabitOptions options{.depth = 60};
  const auto forms = usual_forms(find_certain_features(*model, RngKey::from_seed(1)));
  Habits habits(forms[2], options, RngKey::from_seed(1));
  habits.learn(*model, 300);
  const Fsc all = make_controller(*model, habits, options, 64, 100'000, RngKey::from_seed(2), pool);
  const Fsc few = make_controller(*model, habits, options, 64, 200, RngKey::from_seed(2), pool);
  EXPECT_GT(all.num_nodes(), 200);
  EXPECT_EQ(few.num_nodes(), 200);
  check_fsc(few, model->facts());
  EXPECT_GT(score_of(*model, all, pool), score_of(*model, few, pool) - 5);
}

TEST(HabitPlan, IsTheSameForAnyNumberOfThreadsAndAfterAnArchive) {
  const auto model = load_finite_domain("pocman(map=micro)");
  ThreadPool one(1), three(3);
  const PlanOptions options{.habits = {.depth = 40}};
  Plan a(*model, options, 0, RngKey::from_seed(1), one),
      b(*model, options, 0, RngKey::from_seed(1), three);
  for (int round = 0; round < 10; ++round) {
    a.run(kNever);
    b.run(kNever);
  }
  EXPECT_EQ(a.controllers()[0].fsc, b.controllers()[0].fsc);
  BytesSink sink;
  Saver saver(sink);
  a.archive(saver);
  BytesSource source(sink.bytes);
  Loader loader(source);
  Plan c(*model, options, 0, RngKey::from_seed(1), one);
  c.archive(loader);
  for (int round = 0; round < 10; ++round) {
    b.run(kNever);
    c.run(kNever);
  }
  EXPECT_EQ(b.controllers()[0].fsc, c.controllers()[0].fsc);
  EXPECT_EQ(b.claim(), c.claim());
}

TEST(HabitPlan, ARoundThatIsStoppedChangesNothing) {
  const auto model = load_finite_domain("pocman(map=micro)");
  ThreadPool pool(2);
  const PlanOptions options{.habits = {.depth = 40}};
  Plan a(*model, options, 0, RngKey::from_seed(1), pool),
      b(*model, options, 0, RngKey::from_seed(1), pool);
  EXPECT_FALSE(a.run([] { return true; }));
  a.run(kNever);
  b.run(kNever);
  EXPECT_EQ(a.claim(), b.claim());
  EXPECT_EQ(a.backups(), b.backups());
}

TEST(HabitPlan, FindsAWayThroughTheMaze) {
  const auto model = load_finite_domain("pocman(map=micro)");
  ThreadPool pool(2);
  Plan plan(*model, {.habits = {.depth = 60}}, 0, RngKey::from_seed(1), pool);
  while (plan.backups() < 2000) plan.run(kNever);
  const double random =
      evaluate(*model, *named_policy("random", *model), {.episodes = 2000}, pool).mean;
  EXPECT_GT(score_of(*model, plan.controllers()[0].fsc, pool), random + 50);
}

}  // namespace
}  // namespace penumbra::habits

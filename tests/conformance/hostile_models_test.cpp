// Models that break their promises, each in one way, against everything that can meet them:
// check_model finds it, and every solver and planner ends with an error that names the model, the
// action and the state, or with a status and honest numbers. Nobody crashes, and what hangs
// is ended by the time limit of the tests.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/audited.h"
#include "penumbra/model/check_model.h"
#include "penumbra/policy/named.h"
#include "penumbra/policy/playable.h"
#include "penumbra/search/planners.h"
#include "tests/conformance/solver_kit.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

enum class Sin {
  kNone,
  kNanReward,
  kInfiniteReward,
  kHugeReward,
  kShortProbabilities,  // of observations
  kShortTransitions,    // of the table
  kNeverEnds,
  kThrows,
  kNanFeature,
  kWildCategory,
  kNoLikelihood,  // 0 everywhere
  kNanLikelihood,
  kNanMdpValue,
  kWildObservation,
};

struct SinCase {
  Sin sin;
  const char* name;
  const char* finding;  // what check_model says
};
constexpr SinCase kSins[] = {
    {Sin::kNanReward, "NanReward", "rewards: nan"},
    {Sin::kInfiniteReward, "InfiniteReward", "rewards: inf"},
    {Sin::kHugeReward, "HugeReward", "rewards: 1e+30"},
    {Sin::kShortProbabilities, "ShortProbabilities", "likelihood: sums to 0.9"},
    {Sin::kShortTransitions, "ShortTransitions", "probabilities sum to 0.9"},
    {Sin::kNeverEnds, "NeverEnds", "episodes: none of 128 walks"},
    {Sin::kThrows, "Throws", "step threw 'the wheel came off'"},
    {Sin::kNanFeature, "NanFeature", "features: dense value 0 is nan"},
    {Sin::kWildCategory, "WildCategory", "features: category"},
    {Sin::kNoLikelihood, "NoLikelihood", "likelihood: 0 of"},
    {Sin::kNanLikelihood, "NanLikelihood", "likelihood: nan"},
    {Sin::kNanMdpValue, "NanMdpValue", "MDP value: "},
    {Sin::kWildObservation, "WildObservation", "observations: 77"},
};

// A walk on 0 ... 4 that ends at 4 and hears, noisily, whether it is in the first half. What is
// wrong is wrong for `right` in place 1 and after, which every walk comes through.
struct Hostile {
  struct State {
    int32_t place;
  };
  using Observation = int;
  static constexpr int kPlaces = 5, kNumCoordinates = 1;

  Sin sin = Sin::kNone;
  double discount = 0.9;

  Facts facts() const {
    return {.name = "hostile",
            .discount = discount,
            .num_actions = 2,
            .num_observations = 2,
            .min_reward = -1,
            .max_reward = 5,
            .action_names = {"left", "right"},
            .observation_names = {"low", "high"}};
  }
  State sample_initial(Rng& rng) const { return {static_cast<int32_t>(rng.below(2))}; }
  bool is_terminal(const State& s) const { return sin != Sin::kNeverEnds && s.place == 4; }
  int32_t next_place(const State& s, int a) const {
    return std::clamp(s.place + (a ? 1 : -1), 0, kPlaces - 1);
  }
  float reward(const State& s, int a) const {
    if (a == 1 && s.place == 1) {
      if (sin == Sin::kNanReward) return NAN;
      if (sin == Sin::kInfiniteReward) return HUGE_VALF;
      if (sin == Sin::kHugeReward) return 1e30f;
    }
    return next_place(s, a) == 4 ? 5 : -1;
  }
  Outcome<State, int> step(const State& s, int a, Rng& rng) const {
    if (sin == Sin::kThrows && a == 1 && s.place == 1)
      throw std::runtime_error("the wheel came off");
    const State next{next_place(s, a)};
    const bool high = rng.bernoulli(next.place >= 2 ? 0.8 : 0.2);
    const bool wild = sin == Sin::kWildObservation && a == 1 && s.place == 1;
    return {next, wild ? 77 : high, reward(s, a)};
  }
  double likelihood(int seen, int a, const State& next) const {
    if (sin == Sin::kNoLikelihood) return 0;
    if (sin == Sin::kNanLikelihood && a == 1) return NAN;
    const double p = seen == (next.place >= 2) ? 0.8 : 0.2;
    return sin == Sin::kShortProbabilities ? 0.9 * p : p;
  }
  double mdp_value(const State& s) const {
    if (sin == Sin::kNanMdpValue && s.place == 2) return NAN;
    return is_terminal(s) ? 0 : 5 / (1 - facts().discount);
  }
  FeatureLayout features() const { return {{kPlaces}, 0, 1}; }
  void encode(const State& s, FeatureRow row) const {
    row.category[0] = sin == Sin::kWildCategory && s.place >= 1 ? 1'000'000'000 : s.place;
    row.dense[0] = sin == Sin::kNanFeature && s.place >= 1 ? NAN : 1;
  }
  Tabular table() const {
    Tabular t;
    const Facts f = facts();
    t.name = f.name;
    t.discount = f.discount;
    t.num_states = kPlaces;
    t.num_actions = t.num_observations = 2;
    t.action_names = f.action_names;
    t.start = {0.5, 0.5, 0, 0, 0};
    for (int s = 0; s < kPlaces; ++s) t.terminal.push_back(is_terminal({s}));
    for (int a = 0; a < 2; ++a) {
      SparseRows next, seen;
      std::vector<double> rewards;
      for (int s = 0; s < kPlaces; ++s) {
        const double p = sin == Sin::kShortTransitions && a == 1 && s == 1 ? 0.9 : 1;
        next.add(t.terminal[s] ? s : next_place({s}, a), p);
        next.end_row();
        for (int o = 0; o < 2; ++o) seen.add(o, likelihood(o, a, {s}));
        seen.end_row();
        rewards.push_back(t.terminal[s] ? 0 : reward({s}, a));
      }
      t.transition.push_back(next);
      t.observation.push_back(seen);
      t.reward.push_back(rewards);
    }
    return t;
  }
  int state_index(const State& s) const { return s.place; }
  std::array<float, 1> coordinates(const State& s) const { return {static_cast<float>(s.place)}; }
  State from_coordinates(std::array<float, 1> x) const {
    return {std::clamp(static_cast<int32_t>(std::lround(x[0])), 0, kPlaces - 1)};
  }
  std::string describe_state(const State& s) const { return "place-" + std::to_string(s.place); }
};
static_assert(Model<Hostile>);

// Who meets the models: the solvers with the options that run other code, then the planners.
struct Guest {
  const char* name;
  const char* options = "";
  bool planner = false;
};
constexpr Guest kGuests[] = {
    {"nvi"},
    {"nvi",
     "preset=paper paper-particles=200 paper-bound-particles=50 paper-max-depth=10 "
     "paper-episodes=200 paper-form=heads paper-features=16 paper-samples=100 "
     "paper-sims=5"},
    {"nvi", "start=anchors"},
    {"nvi", "start=cells"},
    {"mcvi"},
    {"mcvi",
     "preset=paper paper-particles=200 paper-bound-particles=50 paper-max-depth=10 "
     "paper-episodes=200 paper-rollout-depth=20"},
    {"cells", "cells=5"},
    {"ppo", "hidden=16 lanes=16 steps=16 minibatches=2 epochs=1 evaluations=100"},
    {"pomcgs"},
    {"sarsop"},
    {"hsvi2"},
    {"pbvi"},
    {"perseus"},
    {"fib"},
    {"qmdp"},
    {"pomcp(simulations=50)", "", true},
    {"pomcpow(simulations=50)", "", true},
    {"pft-dpw(simulations=20)", "", true},
    {"sparse-pft(simulations=20)", "", true},
    {"despot(simulations=20)", "", true},
    {"adaops(simulations=20)", "", true},
};

class HostileModels : public testing::TestWithParam<SinCase> {
 protected:
  // Solves or plays, and gives the numbers that came of it.
  static std::vector<double> visit(const Guest& guest, const Pomdp& model) {
    ThreadPool pool(2);
    if (guest.planner) {
      const auto policy = search::online_policy(guest.name, model, {}, pool);
      const Score score = evaluate(model, *policy, {.episodes = 8, .max_steps = 20}, pool);
      return {score.mean, score.standard_error};
    }
    Limits limits;
    limits.seconds = 1;
    limits.backups = 20;
    const Solution s = solve(guest.name, model, limits, 2, 1, guest.options);
    EXPECT_NE(s.status, "");
    EXPECT_FALSE(std::isnan(s.upper.value));
    const auto policy = playable(policy_of(s, model), model);
    const Score score = evaluate(model, *policy, {.episodes = 100, .max_steps = 100}, pool);
    return {s.estimate, s.lower, score.mean, score.standard_error};
  }
};

TEST_P(HostileModels, AreFoundByCheckModel) {
  const double discount = GetParam().sin == Sin::kNeverEnds ? 0.99999999 : 0.9;
  EXPECT_THAT(check_model(*adapt(Hostile{GetParam().sin, discount})),
              testing::Contains(HasSubstr(GetParam().finding)));
}

TEST_P(HostileModels, EndWithAnErrorThatNamesThemOrWithHonestNumbers) {
  const auto model = adapt(Hostile{GetParam().sin});
  for (const Guest& guest : kGuests) {
    SCOPED_TRACE(fmt::format("{} {}", guest.name, guest.options));
    try {
      for (double x : visit(guest, *model)) EXPECT_TRUE(std::isfinite(x)) << x;
      RecordProperty(guest.name, "numbers");
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("hostile"));
      EXPECT_THAT(error.what(), testing::AnyOf(HasSubstr("place-"), HasSubstr("state s")));
      const bool of_a_state = GetParam().sin == Sin::kNanFeature ||
                              GetParam().sin == Sin::kWildCategory ||
                              GetParam().sin == Sin::kNanMdpValue;
      if (!of_a_state) {
        EXPECT_THAT(error.what(),
                    testing::AnyOf(HasSubstr("action right"), HasSubstr("action left")));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, HostileModels, testing::ValuesIn(kSins),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(HostileModels, AreHarmlessWithoutTheirSin) {
  EXPECT_THAT(check_model(*adapt(Hostile{})), testing::IsEmpty());
}

// What no solver can do without ends every solve: these never come to a number.
TEST(HostileModels, GiveNoNumberWhereRewardsOrProbabilitiesAreBroken) {
  for (Sin sin :
       {Sin::kNanReward, Sin::kInfiniteReward, Sin::kHugeReward, Sin::kThrows,
        Sin::kShortProbabilities, Sin::kNoLikelihood, Sin::kNanLikelihood, Sin::kWildObservation}) {
    const auto model = adapt(Hostile{sin});
    for (const SolverEntry& entry : solvers())
      EXPECT_THROW(solve(entry.name, *model, work(5)), Error)
          << entry.name << ", sin " << static_cast<int>(sin);
  }
}

// Of those that work on the table.
TEST(HostileModels, GiveNoNumberWhereTheTableIsBroken) {
  const auto model = adapt(Hostile{Sin::kShortTransitions});
  for (const char* name : {"sarsop", "hsvi2", "pbvi", "perseus", "fib", "qmdp"})
    EXPECT_THROW(solve(name, *model, work(5)), Error) << name;
}

TEST(HostileModels, AreNamedByEvaluate) {
  const auto model = adapt(Hostile{Sin::kNanReward});
  ThreadPool pool(2);
  const auto policy = named_policy("blind(action=right)", *model);
  try {
    evaluate(*model, *policy, {.episodes = 100}, pool);
    FAIL() << "it gave a score";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("hostile: the reward is nan: action right in state place-1"));
  }
}

}  // namespace
}  // namespace penumbra

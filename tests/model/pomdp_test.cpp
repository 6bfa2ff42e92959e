#include "penumbra/model/pomdp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/light_dark.h"
#include "domains/tiger.h"
#include "penumbra/base/error.h"
#include "tests/error_of.h"
#include "tests/model/small_models.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

TEST(Pomdp, RequireSaysWhoNeedsWhatOfWhom) {
  const auto model = adapt(LightDark{});
  EXPECT_EQ(
      error_of([&] { require(*model, Capability::kTable | Capability::kFeatures, "sarsop"); }),
      "sarsop needs an explicit table; light-dark does not offer it");
  EXPECT_NO_THROW(require(*model, Capability::kLikelihood, "a filter"));
}

TEST(Pomdp, CallingAMissingPartSaysSo) {
  const auto model = adapt(testing_models::Padded{});
  double value;
  RecordBuffer state(model->state_size(), 1);
  EXPECT_EQ(error_of([&] {
              model->mdp_value(state, {&value, 1});
            }),
            "padded does not offer an MDP value");
  EXPECT_EQ(error_of([&] { model->table(); }), "padded does not offer an explicit table");
}

TEST(Pomdp, RefusesImpossibleFacts) {
  Tiger tiger;
  tiger.discount = 1;
  EXPECT_THAT(error_of([&] { adapt(tiger); }), HasSubstr("discount"));
  tiger.discount = NAN;
  EXPECT_THAT(error_of([&] { adapt(tiger); }), HasSubstr("discount"));
  tiger.discount = 0.9;
  tiger.tiger_penalty = -INFINITY;
  EXPECT_THAT(error_of([&] { adapt(tiger); }), HasSubstr("rewards"));
}

TEST(Pomdp, RefusesTheWrongNumberOfNames) {
  struct Unnamed : Tiger {
    Facts facts() const {
      Facts f = Tiger::facts();
      f.action_names.pop_back();
      return f;
    }
  };
  EXPECT_THAT(error_of([] { adapt(Unnamed{}); }), HasSubstr("2 names for 3 actions"));
}

TEST(Pomdp, DescribesRecordsInWords) {
  const auto tiger = adapt(Tiger{});
  const int one = 1;
  EXPECT_EQ(tiger->describe_action(reinterpret_cast<const std::byte*>(&one)), "open-left");
  EXPECT_EQ(tiger->describe_seen(reinterpret_cast<const std::byte*>(&one)), "hear-right");
  const float y = 1.5f;
  EXPECT_EQ(adapt(LightDark{})->describe_seen(reinterpret_cast<const std::byte*>(&y)), "1.5");
}

TEST(Facts, NamesFallBackToNumbers) {
  const Facts f{.num_actions = 2, .num_observations = 2};
  EXPECT_EQ(f.action_name(1), "a1");
  EXPECT_EQ(f.observation_name(0), "o0");
}

TEST(Capabilities, SetsOfThem) {
  const Capabilities two = Capability::kFeatures | Capability::kLikelihood;
  EXPECT_TRUE(two.has(Capability::kFeatures));
  EXPECT_FALSE(two.has(Capability::kFeatures | Capability::kTable));
  EXPECT_EQ(describe(two.without(Capability::kFeatures)), "a likelihood");
  EXPECT_TRUE(Capabilities().none());
}

}  // namespace
}  // namespace penumbra

#include "penumbra/solvers/habits/certain_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/solvers/habits/memory_form.h"

namespace penumbra::habits {
namespace {

using testing::ElementsAre;

// "c0" a block of categories, "b3" a bit.
std::vector<std::string> names(const std::vector<CertainFeature>& features) {
  std::vector<std::string> out;
  for (const CertainFeature& f : features)
    out.push_back((f.bit ? "b" : "c") + std::to_string(f.index));
  return out;
}

TEST(CertainFeatures, ARobotKnowsItsOwnCellAndNotTheRocks) {
  const auto model = load_finite_domain("rock-sample(n=5,k=5)");
  EXPECT_THAT(names(find_certain_features(*model, RngKey::from_seed(1))), ElementsAre("c0"));
}

TEST(CertainFeatures, PocManKnowsItsCellAndNotTheGhosts) {
  const auto model = load_finite_domain("pocman(map=micro)");
  EXPECT_THAT(names(find_certain_features(*model, RngKey::from_seed(1))), ElementsAre("c0"));
}

TEST(CertainFeatures, PocManKnowsItsPowerAndPills) {
  const auto model = load_finite_domain("pocman");
  const auto found = find_certain_features(*model, RngKey::from_seed(1));
  ASSERT_GE(found.size(), 2u);
  EXPECT_EQ(names(found)[0], "c0");
  EXPECT_EQ(names(found)[1], "c5");
  EXPECT_EQ(found[1].usual, 0);  // no power
  for (size_t i = 2; i < found.size(); ++i) EXPECT_TRUE(found[i].bit);
}

TEST(MemoryForm, HabitsMayDependOnLessThanIsRemembered) {
  const CertainFeature cell{false, 0, 0}, power{false, 1, 0};
  const MemoryForm form{{{cell, true}, {power, false}}, false};
  auto at = [&](int32_t x, int32_t p) {
    const int32_t category[] = {x, p};
    return situation_of(form, category, {}, 1, 7, 3);
  };
  EXPECT_EQ(at(4, 9).habit, at(4, 8).habit);
  EXPECT_NE(at(4, 9).whole, at(4, 8).whole);
  EXPECT_NE(at(4, 9).habit, at(4, 0).habit);
  EXPECT_NE(at(4, 9).habit, at(5, 9).habit);
}

TEST(MemoryForm, WithNothingCertainWhatWasSeenIsAllThereIs) {
  const auto forms = usual_forms({});
  ASSERT_EQ(forms.size(), 2u);
  EXPECT_FALSE(forms[0].previous);
  EXPECT_TRUE(forms[1].previous);
}

}  // namespace
}  // namespace penumbra::habits

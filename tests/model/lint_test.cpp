#include "penumbra/model/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/registry.h"
#include "domains/tiger.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

// Everything that is remarked about tiger's table after `spoil` has had its way with it.
template <class Spoil>
std::string remarks(Spoil spoil) {
  Tabular t = Tiger{}.table();
  spoil(t);
  std::string text;
  for (const Finding& f : lint(t)) {
    if (f.kind == Finding::Kind::kNote) continue;
    text += (f.kind == Finding::Kind::kProblem ? "problem " : "warning ") + f.text + "\n";
  }
  return text;
}

TEST(Lint, TigerIsFine) {
  EXPECT_EQ(remarks([](Tabular&) {}), "");
}

TEST(Lint, RowsThatDoNotSumAreProblems) {
  EXPECT_THAT(remarks([](Tabular& t) { t.transition[1].entries[0].value = 0.25; }),
              HasSubstr("problem 1 row of T does not sum to 1, by up to 0.25 (first: action "
                        "open-left, state tiger-left: 0.75)"));
  EXPECT_THAT(remarks([](Tabular& t) { t.start = {0.5, 0.6}; }), HasSubstr("problem"));
  EXPECT_THAT(remarks([](Tabular& t) { t.reward.pop_back(); }), HasSubstr("problem"));
}

TEST(Lint, UnreachableStatesAreNamed) {
  EXPECT_THAT(remarks([](Tabular& t) {
                t.start = {1, 0};
                t.transition[1] = t.transition[2] = t.transition[0];
              }),
              HasSubstr("cannot be reached from the start: 1 (tiger-right) of 2"));
}

TEST(Lint, ImpossibleAndUselessObservationsAreNamed) {
  auto same = [](Tabular& t, double left) {
    for (SparseRows& rows : t.observation)
      for (size_t i = 0; i < rows.entries.size(); ++i)
        rows.entries[i].value = i % 2 == 0 ? left : 1 - left;
  };
  EXPECT_THAT(remarks([&](Tabular& t) { same(t, 1); }),
              HasSubstr("Observations that never come: 1 (hear-right)"));
  EXPECT_THAT(remarks([&](Tabular& t) { same(t, 0.5); }), HasSubstr("every state looks the same"));
}

TEST(Lint, AbsorbingStatesThatPayAreNamed) {
  EXPECT_THAT(remarks([](Tabular& t) { t.transition[1] = t.transition[2] = t.transition[0]; }),
              HasSubstr("no action leaves but some action pays in: 2"));
}

TEST(Lint, CopiesOfActionsAndEqualRewardsAreNamed) {
  EXPECT_THAT(remarks([](Tabular& t) { t.reward[2] = t.reward[1]; }),
              HasSubstr("copies of an earlier one: 1 (open-right)"));
  EXPECT_THAT(remarks([](Tabular& t) {
                t.reward.assign(3, {1, 1});
              }),
              HasSubstr("Every action pays 1 everywhere"));
}

TEST(Lint, RockSampleHasNothingButNotes) {
  const Tabular t = load_domain("rock-sample(n=3,k=2)")->table();
  for (const Finding& f : lint(t)) EXPECT_EQ(f.kind, Finding::Kind::kNote) << f.text;
  EXPECT_GT(table_size(t).bytes, 1000);
}

}  // namespace
}  // namespace penumbra

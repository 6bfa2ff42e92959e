#include "penumbra/model/fingerprint.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/model/tabular_pomdp.h"

namespace penumbra {
namespace {

bool same(const std::string& a, const std::string& b) {
  return same_fingerprint(fingerprint(*load_domain(a)), fingerprint(*load_domain(b)));
}

TEST(Fingerprint, OfTheSameModelIsTheSame) {
  for (const char* name : {"tiger", "t-maze", "corridor(slip=0.1)", "rock-sample(n=5,k=4)"})
    EXPECT_TRUE(same(name, name)) << name;
  EXPECT_TRUE(same("t-maze", "t-maze(length=10)"));
}

TEST(Fingerprint, SizesThatObservationsHardlyShowAreToldApart) {
  EXPECT_FALSE(same("t-maze(length=10)", "t-maze(length=5)"));
  EXPECT_FALSE(same("t-maze(length=1000)", "t-maze(length=1001)"));
  EXPECT_FALSE(same("corridor(n=40)", "corridor(n=41)"));
}

TEST(Fingerprint, ChancesThatObservationsHardlyShowAreToldApart) {
  EXPECT_FALSE(same("corridor", "corridor(slip=0.05)"));
  EXPECT_FALSE(same("corridor(slip=0.1)", "corridor(slip=0.2)"));
}

TEST(Fingerprint, StatesOfOneOrOfSeveralVariablesAreTheSame) {
  Tabular table = load_domain("rock-sample(n=3,k=2)")->table();
  ASSERT_GT(table.variables.size(), 1u);
  const std::vector<double> factored = fingerprint(*tabular_pomdp(table));
  table.variables.clear();
  EXPECT_TRUE(same_fingerprint(factored, fingerprint(*tabular_pomdp(table))));
}

TEST(Fingerprint, OneOfAnOlderFileIsComparedAsFarAsItGoes) {
  const std::vector<double> now = fingerprint(*load_domain("t-maze"));
  std::vector<double> before(now.begin(), now.begin() + 3 + 2 * 64 * 6);
  EXPECT_TRUE(same_fingerprint(before, now));
  before.resize(3);
  EXPECT_FALSE(same_fingerprint(before, now));
}

}  // namespace
}  // namespace penumbra

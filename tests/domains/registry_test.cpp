#include "domains/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/base/error.h"
#include "tests/error_of.h"

namespace penumbra {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string complaint(const std::string& spec) {
  return error_of([&] { load_domain(spec); });
}

TEST(Registry, EveryDomainLoadsByItsName) {
  for (const Domain& d : domains()) EXPECT_EQ(load_domain(d.name)->facts().name, d.name);
}

TEST(Registry, TheCanonicalNameLoadsTheSameModel) {
  const auto model = load_domain("rock-sample(map_seed=3, k=5 ,n=6)");
  EXPECT_EQ(model->facts().name, "rock-sample(n=6,k=5,map_seed=3)");
  const auto again = load_domain(model->facts().name);
  EXPECT_EQ(again->facts().name, model->facts().name);
}

TEST(Registry, ErrorsNameWhatThereIs) {
  EXPECT_THAT(complaint("tigre"),
              AllOf(HasSubstr("did you mean 'tiger'"), HasSubstr("light-dark")));
  EXPECT_THAT(complaint("tiger(teeth=3)"), AllOf(HasSubstr("discount"), HasSubstr("accuracy")));
  EXPECT_THAT(complaint("tiger(discount=nan)"), HasSubstr("a number from 0 to"));
  EXPECT_THAT(complaint("rock-sample(n=0)"), HasSubstr("an integer from 1 to 1000"));
  EXPECT_THAT(complaint("rock-sample(map=9-9)"), HasSubstr("7-8"));
}

TEST(Registry, DiscretisationIsPartOfTheName) {
  const auto model = load_domain("light-dark(clusters=12,grid=[0.5])");
  EXPECT_EQ(model->facts().num_observations, 12);
  EXPECT_THAT(model->facts().name, AllOf(HasSubstr("clusters=12"), HasSubstr("grid=[0.5]")));
  EXPECT_NE(complaint("tiger(clusters=3)"), "");
  EXPECT_NE(complaint("tiger(grid=[1])"), "");
  EXPECT_NE(complaint("light-dark(grid=[1,2])"), "");
}

TEST(Registry, FiniteDomainsGetTheirDefaultClusters) {
  EXPECT_EQ(load_finite_domain("light-dark")->facts().num_observations, 20);
  EXPECT_EQ(load_finite_domain("light-dark")->facts().name, "light-dark(clusters=20)");
  EXPECT_EQ(load_finite_domain("light-dark(clusters=7)")->facts().num_observations, 7);
  EXPECT_EQ(load_finite_domain("light-dark(dimensions=6)")->facts().num_observations, 64);
  EXPECT_EQ(load_finite_domain("light-dark(dimensions=8)")->facts().num_observations, 256);
  EXPECT_EQ(load_finite_domain("lidar-roomba")->facts().num_observations, 10);
  EXPECT_EQ(load_finite_domain("tiger")->facts().name, "tiger");
}

TEST(Registry, SolversSeeTreesWhereTheDomainAsksForThem) {
  EXPECT_EQ(load_finite_domain("sub-hunt")->facts().name, "sub-hunt(clusters=64,cluster_by=tree)");
  EXPECT_EQ(load_finite_domain("sub-hunt(cluster_by=boxes)")->facts().num_observations, 256);
  EXPECT_EQ(load_finite_domain("sub-hunt(clusters=9)")->facts().num_observations, 9);
  // As it is named: files from before trees name boxes.
  EXPECT_EQ(load_domain("sub-hunt(clusters=256)")->facts().name, "sub-hunt(clusters=256)");
}

TEST(Registry, EveryParameterIsListedWithHelp) {
  for (const Domain& d : domains()) {
    const auto parameters = domain_parameters(d);
    EXPECT_GE(parameters.size(), 4);
    for (const auto& p : parameters) {
      EXPECT_NE(p.help, "") << d.name << " " << p.name;
      EXPECT_NE(p.allowed, "") << d.name << " " << p.name;
    }
  }
}

}  // namespace
}  // namespace penumbra

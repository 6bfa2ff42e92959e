#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/registry.h"
#include "tests/cli/program.h"

using nlohmann::json;
using testing::HasSubstr;

TEST(DomainsCommand, ListsEveryDomain) {
  const Said said = run("domains");
  EXPECT_EQ(said.code, 0);
  for (const auto& domain : penumbra::domains()) EXPECT_THAT(said.out, HasSubstr(domain.name));
}

TEST(DomainsCommand, ListsEveryDomainAsJson) {
  const json list = run_json("domains").at("domains");
  ASSERT_EQ(list.size(), penumbra::domains().size());
  EXPECT_EQ(list[0].at("name"), penumbra::domains()[0].name);
}

TEST(DomainsCommand, ShowsParametersWithDefaultRangeAndHelp) {
  const Said said = run("domains rock-sample");
  EXPECT_THAT(said.out, HasSubstr("side of the grid"));
  EXPECT_THAT(said.out, HasSubstr("an integer from 1 to 1000; default 7"));
}

TEST(DomainsCommand, ShowsParametersOfEveryDomainAsJson) {
  for (const auto& domain : penumbra::domains()) {
    const json shown = run_json(std::string("domains ") + domain.name);
    EXPECT_EQ(shown.at("name"), domain.name);
    for (const json& parameter : shown.at("parameters"))
      for (const char* field : {"name", "default", "allowed", "help"})
        EXPECT_TRUE(parameter.at(field).is_string());
  }
}

TEST(DomainsCommand, ShowsTheFactsOfAnInstance) {
  EXPECT_EQ(run_json("domains 'rock-sample(n=4,k=2)'").at("num_actions"), 7);
}

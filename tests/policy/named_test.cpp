#include "penumbra/policy/named.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "tests/error_of.h"

namespace penumbra {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string complaint(const std::string& policy, const std::string& domain) {
  return error_of([&] { named_policy(policy, *load_domain(domain)); });
}

TEST(NamedPolicy, TakesActionsByNameAndNumber) {
  const auto model = load_domain("rock-sample");
  EXPECT_EQ(named_policy("blind(action=east)", *model)->describe(), "blind(action=east)");
  EXPECT_EQ(named_policy("blind(action=2)", *model)->describe(), "blind(action=east)");
  EXPECT_EQ(named_policy("random", *model)->describe(), "random");
}

TEST(NamedPolicy, ErrorsNameWhatThereIs) {
  EXPECT_THAT(complaint("clever", "tiger"), AllOf(HasSubstr("blind"), HasSubstr("random")));
  EXPECT_THAT(complaint("blind(action=up)", "tiger"), HasSubstr("listen, open-left, open-right"));
  EXPECT_THAT(complaint("blind(action=3)", "tiger"), HasSubstr("no action '3'"));
  EXPECT_THAT(complaint("blind(direction=up)", "tiger"), HasSubstr("it has action"));
  EXPECT_THAT(complaint("random(x=1)", "tiger"), HasSubstr("it has none"));
  EXPECT_THAT(complaint("blind", "lidar-roomba(actions=continuous)"), HasSubstr("finite actions"));
}

}  // namespace
}  // namespace penumbra

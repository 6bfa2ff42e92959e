#include "penumbra/io/policy_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "domains/registry.h"
#include "penumbra/base/error.h"

namespace penumbra {
namespace {

class PolicyFileTest : public testing::Test {
 protected:
  PolicyFileTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::temp_directory_path() /
             (std::string("penumbra_") + test->name() + ".policy"))
                .string();
  }
  ~PolicyFileTest() override { std::filesystem::remove(path_); }

  void write_tiger() {
    Fsc fsc;
    fsc.num_observations = 2;
    fsc.add_node(0);
    fsc.add_node(1, 0);
    write_policy_file(path_, describe_policy(*load_domain("tiger"), fsc));
  }
  std::string path_;
};

TEST_F(PolicyFileTest, ReadsWhatItWrote) {
  write_tiger();
  const PolicyFile p = read_policy_file(path_);
  EXPECT_EQ(p.domain, "tiger");
  EXPECT_EQ(p.controller().num_nodes(), 2);
  EXPECT_EQ(p.action_names[0], "listen");
  EXPECT_NO_THROW(check_policy_fits(p, *load_domain("tiger"), path_));
}

TEST_F(PolicyFileTest, APolicyOfAnotherModelIsRefusedByName) {
  write_tiger();
  const PolicyFile p = read_policy_file(path_);
  for (const char* other : {"tiger(accuracy=0.7)", "rock-sample(n=3,k=1)"}) {
    try {
      check_policy_fits(p, *load_domain(other), path_);
      FAIL() << other << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.what(),
                path_ + " was made for tiger, which is not the same problem as " + other);
    }
  }
}

TEST_F(PolicyFileTest, AnotherMapIsAnotherModel) {
  Fsc fsc;
  fsc.num_observations = 3;
  fsc.add_node(2);
  const PolicyFile p = describe_policy(*load_domain("rock-sample(n=11,k=11,map_seed=1)"), fsc);
  EXPECT_NO_THROW(check_policy_fits(p, *load_domain("rock-sample(k=11,n=11)"), "p"));
  for (int seed = 2; seed < 12; ++seed)
    EXPECT_THROW(
        check_policy_fits(
            p, *load_domain("rock-sample(n=11,k=11,map_seed=" + std::to_string(seed) + ")"), "p"),
        Error);
}

TEST_F(PolicyFileTest, AFailedWriteLeavesTheOldFile) {
  write_tiger();
  EXPECT_THROW(write_policy_file("/nonexistent-folder/x.policy", read_policy_file(path_)), Error);
  EXPECT_THROW(read_policy_file(path_ + ".missing"), Error);
}

}  // namespace
}  // namespace penumbra

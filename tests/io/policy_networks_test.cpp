// The networks of a finite network controller in its file.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/io/policy_file.h"
#include "penumbra/nn/head_bank.h"
#include "penumbra/nn/value_bank.h"
#include "penumbra/search/belief_execution.h"
#include "tests/conformance/solver_kit.h"
#include "tests/error_of.h"

namespace penumbra {
namespace {

// Both forms of networks.
class PolicyNetworks : public testing::TestWithParam<const char*> {
 protected:
  PolicyNetworks() : solution_(solve("nvi", *model_, work(100), 2, 3, GetParam())) {}
  const Fnc& solved() const { return *policy_as<Fnc>(solution_.policy); }

  std::unique_ptr<Pomdp> model_ = load_finite_domain("rock-sample(n=4,k=3)");
  Solution solution_;
};

const Fnc& fnc_of(const PolicyFile& file) {
  return *policy_as<Fnc>(file.policy);
}

double score(const Pomdp& model, const Fnc& fnc) {
  ThreadPool pool(2);
  const auto policy = search::belief_execution(model, fnc, 64);
  return evaluate(model, *policy, {.episodes = 200, .seed = 4}, pool).mean;
}

TEST_P(PolicyNetworks, PlayTheSameWithABeliefAfterSavingAndLoading) {
  const auto bytes = encode_policy(describe_policy(*model_, solution_.policy));
  const PolicyFile loaded = decode_policy(bytes, "memory");
  EXPECT_NO_THROW(check_policy_fits(loaded, *model_, "memory"));
  EXPECT_EQ(encode_policy(loaded), bytes);
  ASSERT_NE(fnc_of(loaded).networks, nullptr);
  EXPECT_EQ(score(*model_, fnc_of(loaded)), score(*model_, solved()));
}

TEST_P(PolicyNetworks, OnlyThoseOfNodesAreKept) {
  const Fnc kept = fnc_of(describe_policy(*model_, solution_.policy));
  const std::set<int> used(kept.alpha.begin(), kept.alpha.end());
  EXPECT_EQ(kept.networks->size(), used.size() - used.count(-1));
  ASSERT_EQ(kept.alpha.size(), solved().alpha.size());
  FeatureBatch batch(model_->features(), 10);
  RecordBuffer states(model_->state_size(), 10);
  model_->sample_initial({RngKey::from_seed(5)}, states);
  model_->encode(states, batch, 0);
  auto value = [&](const Fnc& fnc, int node) {
    std::vector<float> out(10);
    fnc.networks->predict_rows(batch, std::vector<int32_t>(10, fnc.alpha[node]), out);
    return out;
  };
  for (size_t n = 0; n < kept.alpha.size(); ++n) {
    ASSERT_EQ(kept.alpha[n] < 0, solved().alpha[n] < 0);
    if (kept.alpha[n] >= 0) {
      EXPECT_EQ(value(kept, int(n)), value(solved(), int(n)));
    }
  }
}

TEST_P(PolicyNetworks, OfOtherFeaturesAreRefusedInWords) {
  PolicyFile file = describe_policy(*model_, solution_.policy);
  const auto other = load_finite_domain("rock-sample(n=5,k=4)");
  file.fingerprint = describe_policy(*other, Fsc{}).fingerprint;
  EXPECT_EQ(error_of([&] { check_policy_fits(file, *other, "p"); }),
            "p: its networks read 1 categories, 3 bits and 0 numbers of a state, 19 wide in all; "
            "rock-sample(n=5,k=4) gives 1, 4 and 0, 29 wide");
}

INSTANTIATE_TEST_SUITE_P(Forms, PolicyNetworks,
                         testing::Values("evaluations=500",
                                         "preset=paper paper-network=tiny paper-particles=300 "
                                         "paper-bound-particles=50 paper-max-depth=15 "
                                         "paper-episodes=500 paper-samples=200 paper-sims=10"),
                         [](const auto& c) { return c.index == 0 ? "heads" : "networks"; });

// Written once, as those of policy_golden_test.cpp. Do not write it anew.
TEST(PolicyGolden, Networks) {
  const std::string path = PENUMBRA_SOURCE "/tests/data/tiger-networks.policy";
  const PolicyFile file = read_policy_file(path);
  EXPECT_NO_THROW(check_policy_fits(file, *load_domain("tiger"), path));
  const Fnc& fnc = fnc_of(file);
  ASSERT_NE(fnc.networks, nullptr);
  EXPECT_EQ(fnc.networks->form(), nn::BankForm::kHeads);
  EXPECT_EQ(fnc.networks->hidden(), std::vector<int>{7});
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::vector<std::byte> again = encode_policy(file);
  EXPECT_EQ(bytes, std::string(reinterpret_cast<const char*>(again.data()), again.size()));
}

TEST(WithoutSpareNetworks, NodesThatShareStillShare) {
  auto bank =
      std::make_shared<nn::HeadBank>(nn::FeatureMap::random({{2}, 0, 0}, 2, RngKey::from_seed(1)));
  for (float f : {0.f, 1.f, 2.f, 3.f}) bank->add_head(std::vector<float>{f, f});
  Fsc fsc;
  fsc.num_observations = 1;
  for (int n = 0; n < 4; ++n) fsc.add_node(0);
  const Fnc kept = without_spare_networks({fsc, {3, -1, 1, 3}, bank});
  EXPECT_EQ(kept.alpha, (std::vector<int>{1, -1, 0, 1}));
  EXPECT_EQ(dynamic_cast<const nn::HeadBank&>(*kept.networks).heads().head(1)[0], 3);
  EXPECT_EQ(bank->size(), 4);
}

}  // namespace
}  // namespace penumbra

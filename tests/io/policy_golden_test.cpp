// Files of version 1 load for ever: these were written by the first program that wrote them. A
// change that fails here breaks the files of users. Do not write them anew.
#include <gtest/gtest.h>

#include <fstream>

#include "domains/registry.h"
#include "penumbra/io/policy_file.h"
#include "penumbra/model/cluster_observations.h"
#include "penumbra/policy/fsc.h"
#include "tests/policy/tiger_controllers.h"

namespace penumbra {
namespace {

PolicyFile golden(const std::string& name) {
  const std::string path = PENUMBRA_SOURCE "/tests/data/" + name;
  const PolicyFile policy = read_policy_file(path);
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::vector<std::byte> again = encode_policy(policy);
  EXPECT_EQ(bytes, std::string(reinterpret_cast<const char*>(again.data()), again.size()));
  return policy;
}

TEST(PolicyGolden, AController) {
  const PolicyFile p = golden("tiger-controller.policy");
  const auto model = load_domain("tiger");
  EXPECT_EQ(p.domain, "tiger");
  EXPECT_EQ(p.action_names, model->facts().action_names);
  EXPECT_EQ(p.controller(), tiger_controller());
  EXPECT_TRUE(p.vectors().vectors.empty());
  EXPECT_NO_THROW(check_policy_fits(p, *model, "golden"));
}

TEST(PolicyGolden, AlphaVectors) {
  const PolicyFile p = golden("tiger-vectors.policy");
  EXPECT_EQ(p.controller().num_nodes(), 0);
  ASSERT_EQ(p.vectors().vectors.size(), 3);
  EXPECT_EQ(p.vectors().vectors[1].value, (std::vector<double>{-100, 10}));
  const auto model = load_domain("tiger");
  EXPECT_NO_THROW(check_policy_fits(p, *model, "golden"));
  EXPECT_NO_THROW(playable(p, *model));
}

TEST(PolicyGolden, ARecurrentNetwork) {
  const PolicyFile p = golden("tiger-recurrent.policy");
  const auto* actor = policy_as<RecurrentActor>(p.policy);
  ASSERT_NE(actor, nullptr);
  EXPECT_EQ(actor->net.shape().hidden, 16);
  EXPECT_EQ(actor->net.shape().input.categories, (std::vector<int>{4, 3, 12}));
  const auto model = load_domain("tiger");
  EXPECT_NO_THROW(check_policy_fits(p, *model, "golden"));
  EXPECT_NO_THROW(playable(p, *model));
}

TEST(PolicyGolden, ClusteredObservations) {
  const PolicyFile p = golden("light-dark-clusters.policy");
  EXPECT_EQ(p.seen_dimension, 1);
  EXPECT_EQ(p.seen_centres, (std::vector<float>{-6.5f, 0.25f, 7}));
  EXPECT_EQ(p.controller().num_nodes(), 2);
}

}  // namespace
}  // namespace penumbra

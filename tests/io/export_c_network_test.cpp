#include "penumbra/io/export_c_network.h"

#include <gtest/gtest.h>

#include <numeric>

#include "domains/registry.h"
#include "penumbra/io/export_c.h"
#include "penumbra/nn/head_bank.h"
#include "penumbra/nn/network_bank.h"
#include "tests/conformance/solver_kit.h"
#include "tests/io/compiled_controller.h"

namespace penumbra {
namespace {

// Gives features one by one to the compiled struct, which has only the parts that there are.
class CompiledAlpha {
 public:
  CompiledAlpha(const PolicyFile& policy, const FeatureLayout& layout)
      : header_(c_header(policy, "c", true), function(layout)),
        alpha_(header_.find<float(int, const int32_t*, const uint32_t*, const float*)>("alpha")) {}

  float operator()(int node, const FeatureRow& row) const {
    return alpha_(node, row.category.data(), row.bits.data(), row.dense.data());
  }

 private:
  static std::string function(const FeatureLayout& layout) {
    std::string body = "(void)category; (void)bits; (void)dense; (void)i;\n";
    if (!layout.categories.empty())
      body += "for (i = 0; i < C_NUM_CATEGORIES; ++i) f.category[i] = category[i];\n";
    if (layout.num_bits > 0)
      body += "for (i = 0; i < C_NUM_BITS; ++i) f.bit[i] = bits[i / 32] >> i % 32 & 1;\n";
    if (layout.num_dense > 0) body += "for (i = 0; i < C_NUM_DENSE; ++i) f.dense[i] = dense[i];\n";
    const std::string head =
        "float alpha(int s, const int32_t* category, const uint32_t* bits, const float* dense)";
    return head + ";\n" + head + " {\nc_features f;\nint i = 0;\n" + body +
           "return c_alpha(s, &f);\n}\n";
  }

  CompiledHeader header_;
  float (*alpha_)(int, const int32_t*, const uint32_t*, const float*);
};

// Every node of the policy on these states, in C and as the library sums them up when it plays: to
// 1e-5 of the largest of its values. Near zero a value is the rest of large terms that cancel out,
// and in either program their roundings.
void expect_same_values(const PolicyFile& policy, FeatureBatch states) {
  const Fnc& fnc = *policy_as<Fnc>(policy.policy);
  const nn::ValueBank& bank = *fnc.networks;
  const int rows = states.rows(), count = bank.size();
  std::vector<int32_t> alone(rows);
  std::iota(alone.begin(), alone.end(), 0);
  std::vector<double> values(size_t(rows) * count);
  bank.predict_sums(states, {alone, rows, {}}, values);
  const CompiledAlpha alpha(policy, bank.layout());
  for (int node = 0; node < fnc.fsc.num_nodes(); ++node) {
    std::vector<double> want(rows, 0.0);
    for (int i = 0; i < rows && fnc.alpha[node] >= 0; ++i)
      want[i] = values[size_t(i) * count + fnc.alpha[node]];
    double largest = 0;
    for (double value : want) largest = std::max(largest, std::abs(value));
    for (int i = 0; i < rows; ++i)
      ASSERT_NEAR(alpha(node, states.row(i)), want[i], 1e-5 * largest)
          << "node " << node << ", state " << i;
  }
}

FeatureBatch visited_states(const Pomdp& model, int count) {
  RecordBuffer states(model.state_size(), count);
  model.sample_initial({RngKey::from_seed(5)}, states);
  FeatureBatch batch(model.features(), count);
  model.encode(states, batch, 0);
  return batch;
}

TEST(ExportCNetwork, GatedFunctionsOfRockSampleHaveTheSameValues) {
  const auto model = load_finite_domain("rock-sample(n=4,k=3)");
  const Solution s = solve("nvi", *model, work(200), 2, 3, "evaluations=500");
  expect_same_values(describe_policy(*model, s.policy), visited_states(*model, 50));
}

TEST(ExportCNetwork, HeadsOfLightDarkHaveTheSameValues) {
  const auto model = load_finite_domain("light-dark");
  const Solution s = solve("nvi", *model, work(50), 2, 3, "evaluations=500");
  expect_same_values(describe_policy(*model, s.policy), visited_states(*model, 50));
}

PolicyFile random_networks(const FeatureLayout& layout, std::vector<int> hidden) {
  const nn::MlpShape shape{layout, std::move(hidden), 1};
  auto bank = std::make_shared<nn::NetworkBank>(shape, nn::FitOptions{});
  const RngKey key = RngKey::from_seed(9);
  for (int i = 0; i < 3; ++i) {
    nn::Mlp network = nn::Mlp::random(shape, key.fold(i));
    network.rescale_outputs(std::vector<double>{20}, std::vector<double>{10});
    bank->add_network(std::move(network));
  }
  Fsc fsc;
  fsc.num_observations = 2;
  for (int n = 0; n < 4; ++n) fsc.add_node(n % 3);
  const Fnc fnc{fsc, {2, 0, -1, 1}, bank};
  return describe_policy(*load_domain("tiger"), std::make_shared<const Fnc>(fnc));
}

FeatureBatch random_states(const FeatureLayout& layout, int rows) {
  FeatureBatch batch(layout, rows);
  Rng rng(RngKey::from_seed(2), 0);
  for (int r = 0; r < rows; ++r) {
    FeatureRow row = batch.row(r);
    for (size_t c = 0; c < row.category.size(); ++c)
      row.category[c] = static_cast<int32_t>(rng.below(layout.categories[c]));
    for (int b = 0; b < layout.num_bits; ++b) row.set_bit(b, rng.below(2) == 1);
    for (float& x : row.dense) x = static_cast<float>(rng.normal());
  }
  return batch;
}

TEST(ExportCNetwork, NetworksOfEveryKindOfInputHaveTheSameValues) {
  for (const FeatureLayout& layout : {FeatureLayout{{5, 3}, 40, 4}, FeatureLayout{{7}, 0, 0},
                                      FeatureLayout{{}, 3, 0}, FeatureLayout{{}, 0, 6}})
    for (const std::vector<int>& hidden : {std::vector<int>{}, {8}, {33, 17, 20}})
      expect_same_values(random_networks(layout, hidden), random_states(layout, 40));
}

TEST(ExportCNetwork, HeadsOnATrunkOfSeveralLayersHaveTheSameValues) {
  const FeatureLayout layout{{4}, 3, 2};
  const nn::Mlp trunk = nn::Mlp::random({layout, {9, 6, 5}, 1}, RngKey::from_seed(4));
  auto bank = std::make_shared<nn::HeadBank>(nn::FeatureMap(trunk));
  bank->add_head(std::vector<float>{1, -2, 3, 0.5f, 2, 7});
  bank->add_head(std::vector<float>{0, 1, 1, -1, 1, -3});
  Fsc fsc;
  fsc.num_observations = 2;
  for (int n = 0; n < 2; ++n) fsc.add_node(n);
  const Fnc fnc{fsc, {1, 0}, bank};
  expect_same_values(describe_policy(*load_domain("tiger"), std::make_shared<const Fnc>(fnc)),
                     random_states(layout, 40));
}

TEST(ExportCNetwork, TheHeaderIsCleanAsCAndAsCpp) {
  const PolicyFile policy = random_networks({{5}, 2, 1}, {4});
  const Folder folder;
  const std::string header = folder.write("c.h", c_header(policy, "c", true));
  const std::string use =
      "#include \"c.h\"\nint main(void) {\nc_features f = {{4}, {0, 1}, {0.5f}};\n"
      "return c_has_alpha(2) || !c_has_alpha(0) || c_alpha(2, &f) < 0 || c_alpha(2, &f) > 0; }\n";
  const std::string c = folder.write("c.c", use), cpp = folder.write("c.cpp", use);
  const std::string out = " -o " + folder.at("out");
  EXPECT_TRUE(compiles(PENUMBRA_CXX, "-std=c++11 " + cpp + out));
  EXPECT_TRUE(compiles(PENUMBRA_CC, "-std=c99 -Wconversion -Wshadow " + c + out));
  EXPECT_EQ(std::system(folder.at("out").c_str()), 0);
  EXPECT_TRUE(compiles(PENUMBRA_CC, "-std=c99 -Wno-unused-function -fsyntax-only -x c " + header));
}

TEST(ExportCNetwork, MergedNodesKeepTheNetworkOfTheFirstThatHasOne) {
  PolicyFile policy = random_networks({{2}, 0, 0}, {});
  Fnc fnc = *policy_as<Fnc>(policy.policy);
  fnc.fsc.edges.assign(8, 0);
  fnc.fsc.set_edge(0, 0, 2);
  fnc.fsc.set_edge(0, 1, 3);
  fnc.fsc.action = {0, 0, 1, 1};
  const Fnc small = minimised(fnc);
  ASSERT_EQ(small.fsc.num_nodes(), 2);  // nodes 2 and 3 are one; 2 has no network
  EXPECT_EQ(small.alpha, (std::vector<int>{1, 0}));
  EXPECT_EQ(small.networks->size(), 2);
}

}  // namespace
}  // namespace penumbra

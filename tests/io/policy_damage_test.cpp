// Damaged policy files are refused, every one of them, with the section and the byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "penumbra/base/error.h"
#include "penumbra/base/rng.h"
#include "penumbra/io/policy_file.h"

namespace penumbra {
namespace {

using Bytes = std::vector<std::byte>;

// All sections; `nodes` and `states` decide the size.
PolicyFile sample_policy(int nodes, int states) {
  PolicyFile p;
  p.domain = "made-up";
  p.fingerprint = {0.95, 2, 3};
  p.num_actions = 2;
  p.num_observations = 3;
  p.action_names = {"left", "right"};
  p.seen_dimension = 1;
  p.seen_centres = {-1, 0, 2.5f};
  p.fsc.num_observations = 3;
  for (int n = 0; n < nodes; ++n) p.fsc.add_node(n % 2, (n * 7 + 3) % nodes);
  p.vectors.num_states = states;
  p.vectors.num_actions = 2;
  p.vectors.parts.emplace_back();
  for (int s = 0; s < states; ++s) p.vectors.parts[0].push_back(s);
  p.vectors.vectors.push_back({1, 0, std::vector<double>(states, 0.125)});
  return p;
}

// Empty: refused as it must be. Otherwise what was wrong about it.
std::string judge(const Bytes& bytes) {
  static const std::regex kPlace("^name: section (header|MODL|SEEN|FSC_|ALPH|end), byte [0-9]+: ");
  try {
    decode_policy(bytes, "name");
    return "it was taken";
  } catch (const Error& error) {
    return std::regex_search(error.what(), kPlace) ? "" : error.what();
  }
}

TEST(PolicyDamage, TheSamplesAreGood) {
  EXPECT_EQ(judge(encode_policy(sample_policy(3, 2))), "it was taken");
  EXPECT_EQ(judge(encode_policy(sample_policy(8000, 9000))), "it was taken");
}

TEST(PolicyDamage, EveryOtherValueOfEverySingleByteIsRefused) {
  const Bytes good = encode_policy(sample_policy(3, 2));
  for (size_t i = 0; i < good.size(); ++i)
    for (int change = 1; change < 256; ++change) {
      Bytes bad = good;
      bad[i] ^= static_cast<std::byte>(change);
      ASSERT_EQ(judge(bad), "") << "byte " << i << " changed by " << change;
    }
}

TEST(PolicyDamage, EveryTruncationAndExtensionIsRefused) {
  const Bytes good = encode_policy(sample_policy(3, 2));
  for (size_t length = 0; length < good.size(); ++length)
    ASSERT_EQ(judge({good.begin(), good.begin() + static_cast<long>(length)}), "") << length;
  Bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_EQ(judge(longer), "");
}

TEST(PolicyDamage, TenThousandTruncationsAndFlipsOfALargeFileAreRefused) {
  const Bytes good = encode_policy(sample_policy(8000, 9000));
  EXPECT_GT(good.size(), 200'000);
  Bytes bad = good;
  for (int trial = 0; trial < 10'000; ++trial) {
    Rng rng(RngKey::from_seed(1), trial);
    if (trial % 2 == 0) {
      const auto length = rng.below(static_cast<uint32_t>(good.size()));
      ASSERT_EQ(judge({good.begin(), good.begin() + length}), "") << "trial " << trial;
      continue;
    }
    std::vector<size_t> where(1 + rng.below(8));
    for (size_t& at : where) {
      at = rng.below(static_cast<uint32_t>(good.size()));
      bad[at] ^= static_cast<std::byte>(1 + rng.below(255));
    }
    // Two changes of the same byte may cancel out.
    if (bad != good) {
      ASSERT_EQ(judge(bad), "") << "trial " << trial;
    }
    for (size_t at : where) bad[at] = good[at];
  }
}

// Whoever computes the checksums anew still cannot make the reader read or keep too much.
TEST(PolicyDamage, SectionsThatLieAreRefused) {
  auto lie = [](auto change) {
    PolicyFile p = sample_policy(3, 2);
    change(p);
    return judge(encode_policy(p));
  };
  EXPECT_EQ(lie([](PolicyFile& p) { p.fsc.edges[0] = 3; }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.fsc.action[0] = -1; }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.fsc.num_observations = -1; }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.fsc.start = 1 << 30; }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.action_names.pop_back(); }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.num_actions = -5; }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.seen_centres.pop_back(); }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.seen_centres[0] = NAN; }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.seen_dimension = 1 << 30; }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.vectors.num_states = -1; }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.vectors.parts[0][1] = 7; }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.vectors.vectors[0].part = 1; }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.vectors.vectors[0].action = 2; }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.vectors.vectors[0].value.pop_back(); }), "");
  EXPECT_EQ(lie([](PolicyFile& p) { p.vectors.vectors[0].value[0] = NAN; }), "");
}

}  // namespace
}  // namespace penumbra

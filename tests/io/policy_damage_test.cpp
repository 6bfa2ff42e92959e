// Damaged policy files are refused, every one of them, with the section and the byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "penumbra/base/error.h"
#include "penumbra/base/rng.h"
#include "penumbra/io/policy_file.h"
#include "penumbra/nn/head_bank.h"
#include "penumbra/nn/network_bank.h"

namespace penumbra {
namespace {

using Bytes = std::vector<std::byte>;

PolicyFile sample_model() {
  PolicyFile p;
  p.domain = "made-up";
  p.fingerprint = {0.95, 2, 3};
  p.num_actions = 2;
  p.num_observations = 3;
  p.action_names = {"left", "right"};
  p.seen_dimension = 1;
  p.seen_centres = {-1, 0, 2.5f};
  return p;
}

Fsc sample_controller(int nodes) {
  Fsc fsc;
  fsc.num_observations = 3;
  for (int n = 0; n < nodes; ++n) fsc.add_node(n % 2, (n * 7 + 3) % nodes);
  return fsc;
}

// `nodes` and `states` decide the size.
VectorPolicy sample_vectors(int nodes, int states) {
  VectorPolicy p{{}, sample_controller(nodes)};
  p.vectors.num_states = states;
  p.vectors.num_actions = 2;
  p.vectors.parts.emplace_back();
  for (int s = 0; s < states; ++s) p.vectors.parts[0].push_back(s);
  p.vectors.vectors.push_back({1, 0, std::vector<double>(states, 0.125)});
  return p;
}

// Nodes that share two functions and a last one that has none.
Fnc sample_networks(nn::BankForm form) {
  const FeatureLayout layout{{3}, 2, 1};
  Fnc fnc{sample_controller(4), {0, 1, 1, -1}};
  const RngKey key = RngKey::from_seed(1);
  if (form == nn::BankForm::kHeads) {
    auto heads = std::make_shared<nn::HeadBank>(nn::FeatureMap::random(layout, 3, key));
    heads->add_head(std::vector<float>{1, 2, 3});
    heads->add_head(std::vector<float>{-1, 0.5f, 4});
    fnc.networks = std::move(heads);
  } else {
    const nn::MlpShape shape{layout, {2}, 1};
    auto networks = std::make_shared<nn::NetworkBank>(shape, nn::FitOptions{});
    for (int i = 0; i < 2; ++i) networks->add_network(nn::Mlp::random(shape, key.fold(i)));
    fnc.networks = std::move(networks);
  }
  return fnc;
}

Bytes encoded(PolicyData policy) {
  PolicyFile p = sample_model();
  p.policy = std::move(policy);
  return encode_policy(p);
}

Bytes with_vectors(int nodes, int states) {
  return encoded(std::make_shared<const VectorPolicy>(sample_vectors(nodes, states)));
}

// A small file of every kind of section.
std::vector<Bytes> small_files() {
  return {with_vectors(3, 2),
          encoded(std::make_shared<const Fnc>(sample_networks(nn::BankForm::kHeads))),
          encoded(std::make_shared<const Fnc>(sample_networks(nn::BankForm::kNetworks)))};
}

// Empty: refused as it must be. Otherwise what was wrong about it.
std::string judge(const Bytes& bytes) {
  static const std::regex kPlace(
      "^name: section (header|MODL|SEEN|TREE|FSC_|ACTS|NETS|ALPH|RNN_|LIKE|end), byte [0-9]+: ");
  try {
    decode_policy(bytes, "name");
    return "it was taken";
  } catch (const Error& error) {
    return std::regex_search(error.what(), kPlace) ? "" : error.what();
  }
}

TEST(PolicyDamage, TheSamplesAreGood) {
  for (const Bytes& good : small_files()) EXPECT_EQ(judge(good), "it was taken");
  EXPECT_EQ(judge(with_vectors(8000, 9000)), "it was taken");
}

TEST(PolicyDamage, EveryOtherValueOfEverySingleByteIsRefused) {
  for (const Bytes& good : small_files())
    for (size_t i = 0; i < good.size(); ++i)
      for (int change = 1; change < 256; ++change) {
        Bytes bad = good;
        bad[i] ^= static_cast<std::byte>(change);
        ASSERT_EQ(judge(bad), "") << "byte " << i << " changed by " << change;
      }
}

// Those of tests/data: recurrent networks too. A few values of each byte, as they are larger.
TEST(PolicyDamage, EverySingleByteOfRealFilesIsCheckedAndEveryTruncationToo) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(PENUMBRA_SOURCE) + "/tests/data")) {
    if (entry.path().extension() != ".policy") continue;
    ++files;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    ASSERT_EQ(judge(bytes), "it was taken");
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (int change : {1, 0x80}) {
        bytes[i] ^= static_cast<std::byte>(change);
        ASSERT_EQ(judge(bytes), "") << entry.path() << ", byte " << i;
        bytes[i] ^= static_cast<std::byte>(change);
      }
      ASSERT_EQ(judge({bytes.begin(), bytes.begin() + static_cast<long>(i)}), "") << i;
    }
  }
  EXPECT_GE(files, 5);
}

TEST(PolicyDamage, EveryTruncationAndExtensionIsRefused) {
  for (const Bytes& good : small_files()) {
    for (size_t length = 0; length < good.size(); ++length)
      ASSERT_EQ(judge({good.begin(), good.begin() + static_cast<long>(length)}), "") << length;
    Bytes longer = good;
    longer.push_back(std::byte{0});
    EXPECT_EQ(judge(longer), "");
  }
}

TEST(PolicyDamage, TenThousandTruncationsAndTenThousandFlipsOfALargeFileAreRefused) {
  const Bytes good = with_vectors(8000, 9000);
  EXPECT_GT(good.size(), 200'000);
  Bytes bad = good;
  for (int trial = 0; trial < 10'000; ++trial) {
    Rng rng(RngKey::from_seed(1), trial);
    const auto length = rng.below(static_cast<uint32_t>(good.size()));
    ASSERT_EQ(judge({good.begin(), good.begin() + length}), "") << "trial " << trial;
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
    PolicyFile p = sample_model();
    VectorPolicy v = sample_vectors(3, 2);
    change(p, v);
    p.policy = std::make_shared<const VectorPolicy>(v);
    return judge(encode_policy(p));
  };
  using P = PolicyFile;
  using V = VectorPolicy;
  EXPECT_EQ(lie([](P&, V& v) { v.controller.edges[0] = 3; }), "");
  EXPECT_EQ(lie([](P&, V& v) { v.controller.action[0] = -1; }), "");
  EXPECT_EQ(lie([](P&, V& v) { v.controller.num_observations = -1; }), "");
  EXPECT_EQ(lie([](P&, V& v) { v.controller.start = 1 << 30; }), "");
  EXPECT_EQ(lie([](P& p, V&) { p.action_names.pop_back(); }), "");
  EXPECT_EQ(lie([](P& p, V&) { p.num_actions = -5; }), "");
  EXPECT_EQ(lie([](P& p, V&) { p.seen_centres.pop_back(); }), "");
  EXPECT_EQ(lie([](P& p, V&) { p.seen_centres[0] = NAN; }), "");
  EXPECT_EQ(lie([](P& p, V&) { p.seen_dimension = 1 << 30; }), "");
  EXPECT_EQ(lie([](P&, V& v) { v.vectors.num_states = -1; }), "");
  EXPECT_EQ(lie([](P&, V& v) { v.vectors.parts[0][1] = 7; }), "");
  EXPECT_EQ(lie([](P&, V& v) { v.vectors.vectors[0].part = 1; }), "");
  EXPECT_EQ(lie([](P&, V& v) { v.vectors.vectors[0].action = 2; }), "");
  EXPECT_EQ(lie([](P&, V& v) { v.vectors.vectors[0].value.pop_back(); }), "");
  EXPECT_EQ(lie([](P&, V& v) { v.vectors.vectors[0].value[0] = NAN; }), "");
}

TEST(PolicyDamage, NetworksThatLieAreRefused) {
  auto lie = [](auto change) {
    Fnc fnc = sample_networks(nn::BankForm::kHeads);
    change(fnc);
    return judge(encoded(std::make_shared<const Fnc>(fnc)));
  };
  auto heads = [](Fnc& f) -> nn::HeadBank& { return dynamic_cast<nn::HeadBank&>(*f.networks); };
  EXPECT_EQ(lie([](Fnc& f) { f.alpha[0] = 2; }), "");
  EXPECT_EQ(lie([](Fnc& f) { f.alpha[0] = -2; }), "");
  EXPECT_EQ(lie([](Fnc& f) { f.alpha.pop_back(); }), "");
  EXPECT_EQ(lie([](Fnc& f) { f.alpha.clear(); }), "");
  EXPECT_EQ(lie([](Fnc& f) { f.networks->keep({}); }), "");
  EXPECT_EQ(lie([&](Fnc& f) { heads(f).add_head(std::vector<float>{0, NAN, 0}); }), "");
}

// Bytes of a bank, sealed as they should be, in the place of a good one.
std::string judge_bank(const nn::ByteWriter& payload) {
  class Lies : public nn::NetworkBank {
   public:
    explicit Lies(nn::Bytes bytes)
        : NetworkBank(nn::MlpShape{{{2}, 0, 0}, {}, 1}, {}), bytes_(std::move(bytes)) {}
    nn::Bytes save() const override { return bytes_; }

   private:
    nn::Bytes bytes_;
  };
  Fnc fnc{sample_controller(1), {0}};
  fnc.networks = std::make_shared<Lies>(nn::seal(nn::Kind::kBank, 1, payload));
  return judge(encoded(std::make_shared<const Fnc>(fnc)));
}

TEST(PolicyDamage, ABankThatClaimsToBeHugeIsRefusedBeforeMemoryIsTaken) {
  constexpr int kMany = 1 << 24;
  for (uint32_t form : {1u, 2u}) {
    nn::ByteWriter wide, many_inputs;
    wide.u32(form);
    nn::write_shape(wide, {{{kMany}, 0, 0}, {kMany}, 1});
    wide.u64(1);
    wide.u64(0);
    EXPECT_EQ(judge_bank(wide), "");
    many_inputs.u32(form);
    nn::write_shape(many_inputs, {{std::vector<int>(1000, kMany), 0, 0}, {2}, 1});
    many_inputs.u64(1);
    EXPECT_EQ(judge_bank(many_inputs), "");
  }
  nn::ByteWriter units;  // few weights, but their products would be many
  constexpr int kUnits = 1 << 20;
  units.u32(1);
  nn::write_shape(units, {{{}, 0, 1}, {kUnits}, 1});
  units.floats(std::vector<float>(3 * kUnits + 1));
  units.i32(kUnits + 1);
  units.u64(0);
  EXPECT_EQ(judge_bank(units), "");
}

}  // namespace
}  // namespace penumbra

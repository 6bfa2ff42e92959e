#include "penumbra/nn/bytes.h"

#include <gtest/gtest.h>

#include <cstring>

#include "penumbra/base/error.h"
#include "penumbra/nn/feature_map.h"
#include "penumbra/nn/mlp.h"
#include "penumbra/nn/network_set.h"
#include "penumbra/nn/value_bank.h"
#include "tests/nn/test_data.h"

namespace penumbra::nn {
namespace {

const RngKey kKey = RngKey::from_seed(3);
const MlpShape kSmall{layout_of({3}, 2, 1), {4}, 1};

TEST(Bytes, KnownChecksum) {
  const char* text = "123456789";  // the check value of CRC-32C
  EXPECT_EQ(crc32c(std::as_bytes(std::span(text, 9))), 0xe3069283u);
}

TEST(Bytes, LittleEndianWhateverTheMachine) {
  ByteWriter out;
  out.u32(0x01020304);
  out.f32(1.0f);
  const Bytes wanted = {std::byte{4}, std::byte{3}, std::byte{2},    std::byte{1},
                        std::byte{0}, std::byte{0}, std::byte{0x80}, std::byte{0x3f}};
  EXPECT_EQ(out.bytes(), wanted);
}

TEST(Bytes, RoundTrip) {
  const Mlp network = Mlp::random({kMixed, {20, 9}, 3}, kKey);
  const Mlp again = Mlp::load(network.save());
  EXPECT_EQ(again.shape(), network.shape());
  EXPECT_EQ(again.plain(), network.plain());
  NetworkSet set(kSmall);
  for (int i = 0; i < 3; ++i) set.add(Mlp::random(kSmall, kKey.fold(i)));
  const NetworkSet loaded = NetworkSet::load(set.save());
  ASSERT_EQ(loaded.size(), 3);
  EXPECT_EQ(loaded[2].plain(), set[2].plain());
  const FeatureMap map = FeatureMap::random(kMixed, 20, kKey);
  EXPECT_EQ(FeatureMap::load(map.save()).trunk().plain(), map.trunk().plain());
}

// Every byte set to every other value, every truncation, one byte more.
template <class Load>
void expect_all_damage_refused(const Bytes& good, const Load& load) {
  ASSERT_NO_THROW(load(good));
  for (size_t i = 0; i < good.size(); ++i) {
    Bytes bad = good;
    for (int flip = 1; flip < 256; ++flip) {
      bad[i] = good[i] ^ std::byte(flip);
      ASSERT_THROW(load(bad), Error) << "byte " << i << " flipped by " << flip;
    }
    ASSERT_THROW(load(Bytes(good.begin(), good.begin() + i)), Error) << "cut at " << i;
  }
  Bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_THROW(load(longer), Error);
}

TEST(Bytes, EveryDamagedByteOfANetworkIsCaught) {
  expect_all_damage_refused(Mlp::random(kSmall, kKey).save(), [](const Bytes& b) { Mlp::load(b); });
}

TEST(Bytes, EveryDamagedByteOfABankIsCaught) {
  for (BankForm form : {BankForm::kHeads, BankForm::kNetworks}) {
    BankOptions options{.form = form, .features = 6, .hidden = {3}};
    options.fit.max_epochs = 2;
    auto bank = make_bank(kSmall.input, options, kKey);
    const FeatureBatch states = random_states(kSmall.input, 30, 1);
    const std::vector<float> targets = smooth_targets(states);
    ASSERT_TRUE(bank->add({.local = &states, .local_targets = targets}, kKey).good());
    expect_all_damage_refused(bank->save(), [&](const Bytes& b) { load_bank(b, options); });
  }
}

// A correct checksum does not make nonsense acceptable.
TEST(Bytes, SealedNonsenseIsRefused) {
  ByteWriter huge;
  huge.u64(uint64_t{1} << 60);
  EXPECT_THROW(Mlp::load(seal(Kind::kMlp, 1, huge)), Error);
  ByteWriter wide;  // a shape that would take terabytes, and no parameters
  write_shape(wide, {layout_of({1 << 24}, 0, 0), {1 << 24}, 1});
  wide.floats({});
  EXPECT_THROW(Mlp::load(seal(Kind::kMlp, 1, wide)), Error);
  ByteWriter good;
  Mlp::random(kSmall, kKey).write(good);
  EXPECT_NO_THROW(Mlp::load(seal(Kind::kMlp, 1, good)));
  EXPECT_THROW(Mlp::load(seal(Kind::kMlp, 2, good)), Error);
  EXPECT_THROW(Mlp::load(seal(Kind::kNetworkSet, 1, good)), Error);
}

}  // namespace
}  // namespace penumbra::nn

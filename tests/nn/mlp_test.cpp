#include "penumbra/nn/mlp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/nn/reference.h"
#include "tests/nn/test_data.h"

namespace penumbra::nn {
namespace {

const RngKey kKey = RngKey::from_seed(5);

void expect_like_reference(const MlpShape& shape, int rows) {
  const Mlp network = Mlp::random(shape, kKey);
  const FeatureBatch states = random_states(shape.input, rows, 6);
  std::vector<float> out(size_t(rows) * shape.outputs);
  network.predict(states, out);
  const reference::Network plain(shape, network.plain());
  for (int r = 0; r < rows; ++r) {
    const std::vector<double> wanted = plain.predict(states, r);
    for (int o = 0; o < shape.outputs; ++o) {
      ASSERT_NEAR(out[size_t(r) * shape.outputs + o], wanted[o], 2e-5 * (1 + std::abs(wanted[o])))
          << "row " << r << " of " << rows;
    }
  }
}

TEST(Mlp, PredictsLikeTheReference) {
  for (int rows : {0, 1, 2, 17, 96, 97, 250}) {
    expect_like_reference({kMixed, {20, 9}, 1}, rows);
    expect_like_reference({kMixed, {}, 1}, rows);
    expect_like_reference({kMixed, {1}, 1}, rows);
    expect_like_reference({layout_of({}, 0, 3), {128, 64, 32}, 1}, rows);
    expect_like_reference({layout_of({400}, 20, 0), {128, 64, 64}, 1}, rows);
    expect_like_reference({layout_of({}, 70, 2), {33, 17}, 19}, rows);
  }
}

TEST(Mlp, EveryPresetPredicts) {
  for (const Preset& p : presets()) expect_like_reference({kMixed, p.hidden, 1}, 7);
  EXPECT_EQ(preset("paper-rock-sample"), (std::vector<int>{128, 64, 64}));
  EXPECT_EQ(preset("paper-continuous"), (std::vector<int>{128, 64, 32}));
  EXPECT_THROW(preset("no-such"), Error);
}

// The same bits whether bits come from look-up tables or one by one, alone or in a batch, on one
// thread or on four.
TEST(Mlp, ResultsDoNotDependOnBatchOrThreads) {
  const Mlp network = Mlp::random({kMixed, {40, 17}, 2}, kKey);
  const FeatureBatch states = random_states(kMixed, 2000, 7);
  std::vector<float> whole(4000), threaded(4000);
  network.predict(states, whole);
  ThreadPool pool(4);
  network.predict(states, threaded, &pool);
  EXPECT_EQ(whole, threaded);
  for (int r = 0; r < 50; ++r) {
    FeatureBatch one = states;
    one.resize(1);
    FeatureRow row = one.row(0);
    std::copy_n(states.category().data() + r * 2, 2, row.category.data());
    row.bits[0] = states.bits()[r];
    std::copy_n(states.dense().data() + r * 3, 3, row.dense.data());
    std::vector<float> alone(2);
    network.predict(one, alone);
    EXPECT_EQ(alone[0], whole[r * 2]);
    EXPECT_EQ(alone[1], whole[r * 2 + 1]);
  }
}

TEST(Mlp, RefusesWrongInput) {
  const Mlp network = Mlp::random({kMixed, {8}, 1}, kKey);
  std::vector<float> out(3);
  EXPECT_THROW(network.predict(random_states(layout_of({7, 5}, 11, 2), 3, 1), out), Error);
  EXPECT_THROW(network.predict(random_states(kMixed, 4, 1), out), Error);
  FeatureBatch bad = random_states(kMixed, 3, 1);
  bad.row(1).category[0] = 7;
  EXPECT_THROW(network.predict(bad, out), Error);
  EXPECT_THROW(Mlp({{}, {8}, 1}), Error);
  EXPECT_THROW(Mlp({kMixed, {0}, 1}), Error);
}

TEST(Mlp, RescalesOutputs) {
  for (const MlpShape& shape : {MlpShape{kMixed, {12}, 1}, MlpShape{kMixed, {}, 2}}) {
    Mlp network = Mlp::random(shape, kKey);
    const FeatureBatch states = random_states(kMixed, 9, 1);
    std::vector<float> before(9 * shape.outputs), after(9 * shape.outputs);
    network.predict(states, before);
    const std::vector<double> scale(shape.outputs, 3.0), shift(shape.outputs, -7.0);
    network.rescale_outputs(scale, shift);
    network.predict(states, after);
    for (size_t i = 0; i < after.size(); ++i) EXPECT_NEAR(after[i], 3 * before[i] - 7, 1e-4);
  }
}

}  // namespace
}  // namespace penumbra::nn

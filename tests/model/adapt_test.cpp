#include "penumbra/model/adapt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/light_dark.h"
#include "domains/rock_sample.h"
#include "domains/tiger.h"
#include "penumbra/base/error.h"
#include "tests/error_of.h"
#include "tests/model/small_models.h"

namespace penumbra {
namespace {

using testing_models::Car;
using testing_models::Padded;

TEST(Adapt, CapabilitiesAreWhatTheStructHas) {
  EXPECT_EQ(describe(adapt(Padded{})->capabilities()), "finite actions");
  EXPECT_EQ(describe(adapt(Tiger{})->capabilities()),
            "finite actions, finite observations, features, a likelihood, an MDP value, an "
            "explicit table");
  EXPECT_FALSE(adapt(Car{})->has(Capability::kFiniteActions));
}

TEST(Adapt, SizesAreThoseOfTheRecords) {
  const auto model = adapt(Padded{});
  EXPECT_EQ(model->state_size(), sizeof(Padded::State));
  EXPECT_EQ(model->seen_size(), sizeof(float));
  EXPECT_EQ(model->action_size(), sizeof(int));
  EXPECT_EQ(adapt(Car{})->action_size(), 2 * sizeof(float));
}

TEST(Adapt, BatchIsTheScalarStepWithTheStreamsOfItsLanes) {
  const LightDark plain;
  const auto model = adapt(plain);
  const Streams streams{RngKey::from_seed(1), 10};
  RecordBuffer state(model->state_size(), 50);
  model->sample_initial(streams, state);
  std::vector<int> action(50, LightDark::kRight);
  StepBuffers buffers(*model, 50);
  const StepResults out = buffers.results(50);
  model->step(state, action, streams, out);
  for (size_t i = 0; i < 50; ++i) {
    Rng start(streams.key, 10 + i), rng(streams.key, 10 + i);
    const auto expected = plain.step(plain.sample_initial(start), LightDark::kRight, rng);
    EXPECT_EQ(out.next.as<LightDark::State>(i).y, expected.next.y);
    EXPECT_EQ(out.seen.as<float>(i), expected.seen);
  }
}

TEST(Adapt, ClearsPaddingInStatesOfAllOrigins) {
  const auto model = adapt(Padded{});
  RecordBuffer state(model->state_size(), 8);
  model->sample_initial({RngKey::from_seed(1)}, state);
  StepBuffers b(*model, 8);
  std::memset(b.next.view().data, 0xff, 8 * model->state_size());
  model->step(state, std::vector<int>(8, 1), {RngKey::from_seed(2)}, b.results(8));
  for (const RecordBuffer* records : {&state, &b.next})
    for (size_t i = 0; i < 8; ++i)
      for (size_t byte = sizeof(double) + 1; byte < sizeof(Padded::State); ++byte)
        EXPECT_EQ(records->at(i)[byte], std::byte{0});
}

TEST(Adapt, EqualValuesAreEqualRecords) {
  const auto model = adapt(Padded{});
  RecordBuffer a(model->state_size(), 200);
  model->sample_initial({RngKey::from_seed(1)}, a);
  std::map<double, uint64_t> hash_of;
  for (size_t i = 0; i < a.count(); ++i)
    hash_of.emplace(a.as<Padded::State>(i).place, hash_record(a.at(i), a.record_size()));
  for (size_t i = 0; i < a.count(); ++i)
    EXPECT_EQ(hash_of[a.as<Padded::State>(i).place], hash_record(a.at(i), a.record_size()));
  EXPECT_EQ(hash_of.size(), 3);
}

// `Base` with the given numbers of actions and observations.
template <class Base>
struct Counted : Base {
  int actions, observations;
  Counted(int a, int o) : actions(a), observations(o) {}
  Facts facts() const {
    Facts f = Base::facts();
    f.name = "mine";
    f.num_actions = actions;
    f.num_observations = observations;
    f.action_names.clear();
    f.observation_names.clear();
    return f;
  }
};

TEST(Adapt, WholeObservationsNeedTheirNumber) {
  EXPECT_THAT(error_of([] { adapt(Counted<Tiger>(3, 0)); }),
              testing::AllOf(testing::HasSubstr("mine"),
                             testing::HasSubstr("num_observations is 0; set it to how many")));
  EXPECT_THAT(error_of([] { adapt(Counted<Tiger>(3, -1)); }), testing::HasSubstr("is -1"));
}

TEST(Adapt, FloatObservationsHaveNoNumber) {
  EXPECT_THAT(error_of([] { adapt(Counted<Padded>(2, 5)); }),
              testing::AllOf(testing::HasSubstr("mine: num_observations is 5"),
                             testing::HasSubstr("set Observation = int")));
}

TEST(Adapt, ActionsAreHeldToTheSame) {
  EXPECT_THAT(error_of([] { adapt(Counted<Tiger>(0, 2)); }),
              testing::HasSubstr("num_actions is 0"));
  EXPECT_THAT(error_of([] { adapt(Counted<Car>(4, 0)); }), testing::HasSubstr("num_actions is 4"));
}

TEST(Adapt, TerminalStatesAreNotHandedToTheUser) {
  struct Fragile : Padded {
    Outcome<State, Observation> step(const State& s, int a, Rng& rng) const {
      if (is_terminal(s)) throw std::logic_error("stepped from a terminal state");
      return Padded::step(s, a, rng);
    }
  };
  const auto model = adapt(Fragile{});
  RecordBuffer state(model->state_size(), 1);
  state.as<Padded::State>(0) = {4, 0};
  StepBuffers b(*model, 1);
  model->step(state, std::vector<int>{1}, {RngKey::from_seed(1)}, b.results(1));
  EXPECT_EQ(b.ended[0], 1);
  EXPECT_EQ(b.reward[0], 0);
  EXPECT_EQ(b.seen.as<float>(0), 0);
}

TEST(Adapt, WithheldPartsAreNotOffered) {
  RockSample::Options big;
  big.n = 20;
  for (int i = 1; i <= 20; ++i) big.rocks.emplace_back(i, i);
  EXPECT_FALSE(adapt(RockSample(big))->has(Capability::kTable));
}

TEST(Adapt, EncodeWritesFromTheRowAskedFor) {
  const auto model = adapt(Tiger{});
  RecordBuffer state(model->state_size(), 1);
  state.as<Tiger::State>(0).right = 1;
  FeatureBatch batch(model->features(), 3);
  model->encode(state, batch, 2);
  EXPECT_THAT(batch.category(), testing::ElementsAre(0, 0, 1));
}

}  // namespace
}  // namespace penumbra

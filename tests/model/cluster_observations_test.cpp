#include "penumbra/model/cluster_observations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "domains/light_dark_space.h"
#include "domains/tiger.h"
#include "penumbra/base/error.h"
#include "penumbra/model/action_table.h"
#include "tests/model/small_models.h"

namespace penumbra {
namespace {

using testing::ElementsAre;

TEST(KMeans, FindsGroupsOnALineAndSortsThem) {
  std::vector<float> points;
  for (int i = 0; i < 30; ++i)
    for (float centre : {7.0f, -3.0f, 1.0f}) points.push_back(centre + 0.01f * float(i % 3 - 1));
  EXPECT_THAT(k_means(points, 1, 3, 1),
              ElementsAre(testing::FloatNear(-3, 1e-5), testing::FloatNear(1, 1e-5),
                          testing::FloatNear(7, 1e-5)));
}

TEST(KMeans, TheSeedDecides) {
  std::vector<float> points;
  Rng rng(RngKey::from_seed(3), 0);
  for (int i = 0; i < 3000; ++i) points.push_back(static_cast<float>(rng.normal()));
  EXPECT_EQ(k_means(points, 1, 9, 5), k_means(points, 1, 9, 5));
  EXPECT_NE(k_means(points, 1, 9, 5), k_means(points, 1, 9, 6));
}

TEST(ClusterObservations, MayBeMadeWhereObservationsAreSharp) {
  ClusterOptions options;
  options.num_clusters = 5;
  options.sharpest = 0.2;
  const auto model = cluster_observations(adapt(LightDark{}), options);
  for (float centre : dynamic_cast<const ClusterObservations&>(*model).centres())
    EXPECT_NEAR(centre, 5, 2.5);  // the light
}

TEST(KMeans, GivesFewerCentresThanAskedForFewerPoints) {
  EXPECT_THAT(k_means(std::vector<float>{2, 1, 2, 1}, 1, 5, 1), ElementsAre(1, 2));
  EXPECT_THAT(k_means(std::vector<float>{0, 1, 0, 1}, 2, 5, 1), ElementsAre(0, 1));
}

TEST(Cluster, LightDarkGetsTwentySortedCentresAlwaysTheSame) {
  auto make = [](uint64_t seed) {
    ClusterOptions options;
    options.seed = seed;
    auto model = cluster_observations(adapt(LightDark{}), options);
    return dynamic_cast<ClusterObservations&>(*model).centres();
  };
  const std::vector<float> centres = make(1);
  EXPECT_EQ(centres.size(), 20);
  EXPECT_TRUE(std::is_sorted(centres.begin(), centres.end()));
  EXPECT_EQ(centres, make(1));
  EXPECT_NE(centres, make(2));
}

TEST(Cluster, ObservationIsTheNearestCentre) {
  const ClusterObservations model(adapt(LightDark{}), {-1, 0, 4});
  for (float seen : {-9.0f, -0.51f, -0.49f, 1.9f, 2.1f, 9.0f}) {
    int nearest = 0;
    for (int c : {1, 2})
      if (std::abs(seen - model.centres()[c]) < std::abs(seen - model.centres()[nearest]))
        nearest = c;
    EXPECT_EQ(model.classify(&seen), nearest) << seen;
  }
}

TEST(Cluster, LikelihoodIsTheMassOfTheCell) {
  const LightDark plain;
  const ClusterObservations model(adapt(plain), {-1, 0, 4});
  RecordBuffer next(model.state_size(), 1);
  next.as<LightDark::State>(0) = {1.5f, 0};
  double sum = 0;
  for (int o : {0, 1, 2}) {
    double p;
    const int action = 0;
    model.likelihood(reinterpret_cast<const std::byte*>(&o),
                     reinterpret_cast<const std::byte*>(&action), next, {&p, 1});
    const double low = o == 0 ? 0 : plain.cumulative(o == 1 ? -0.5f : 2.0f, 0, {1.5f, 0});
    const double high = o == 2 ? 1 : plain.cumulative(o == 0 ? -0.5f : 2.0f, 0, {1.5f, 0});
    EXPECT_NEAR(p, high - low, 1e-12);
    sum += p;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Cluster, TerminalStatesAreAnsweredWithZero) {
  const ClusterObservations model(adapt(LightDark{}), {-4, -2, 0.1f});
  RecordBuffer state(model.state_size(), 1);
  state.as<LightDark::State>(0) = {3, 1};
  StepBuffers b(model, 1);
  model.step(state, std::vector<int>{0}, {RngKey::from_seed(1)}, b.results(1));
  EXPECT_EQ(b.seen.as<int>(0), 0);
}

TEST(Cluster, OffersNoLikelihoodWithoutADistributionFunction) {
  const ClusterObservations model(adapt(testing_models::Padded{}), {0, 1});
  EXPECT_FALSE(model.has(Capability::kLikelihood));
  EXPECT_TRUE(model.has(Capability::kFiniteObservations));
}

TEST(Cluster, WorksInTwoDimensions) {
  RecordBuffer actions(2 * sizeof(float));
  for (float push : {-1.0f, 1.0f}) {
    const float a[2] = {push, 0};
    actions.push_back(reinterpret_cast<const std::byte*>(a));
  }
  auto car = action_table(adapt(testing_models::Car{}), actions, {"left", "right"});
  ClusterOptions options;
  options.num_clusters = 4;
  options.num_samples = 2000;
  const auto model = cluster_observations(std::move(car), options);
  EXPECT_EQ(model->facts().num_observations, 4);
  EXPECT_EQ(model->facts().num_actions, 2);
}

// Two coordinates in units a thousand times apart; the fine one alone tells the states.
struct Scales {
  struct State {
    int32_t side;
  };
  struct Observation {
    float coarse, fine;
  };
  Facts facts() const { return {.name = "scales", .discount = 0.9, .num_actions = 1}; }
  State sample_initial(Rng& rng) const { return {rng.bernoulli(0.5)}; }
  bool is_terminal(const State&) const { return false; }
  Outcome<State, Observation> step(const State& s, int, Rng& rng) const {
    const auto noise = static_cast<float>(rng.normal(0, 1000));
    const auto fine = static_cast<float>(s.side + rng.normal(0, 0.01));
    return {s, {noise, fine}, 0};
  }
};

TEST(Cluster, NoCoordinateCountsMoreForItsUnit) {
  const auto model = cluster_observations(adapt(Scales{}), {.num_clusters = 2});
  const auto& clusters = dynamic_cast<const ClusterObservations&>(*model);
  int differ = 0;
  for (float coarse : {-1500.0f, -500.0f, 0.0f, 500.0f, 1500.0f}) {
    const float low[] = {coarse, 0}, high[] = {coarse, 1};
    differ += clusters.classify(low) != clusters.classify(high);
  }
  EXPECT_EQ(differ, 5);
}

TEST(Cluster, IndependentCoordinatesAreCutIntoBoxes) {
  std::vector<float> points;
  for (float x : {0.0f, 10.0f})
    for (float y : {100.0f, 400.0f, 900.0f}) points.insert(points.end(), {x, y});
  EXPECT_THAT(product_centres(points, 2, 5, 1), testing::SizeIs(2 * 4));
  EXPECT_THAT(product_centres(std::vector<float>{0, 5, 8, 5}, 2, 9, 1), ElementsAre(0, 5, 8, 5));
  const ClusterObservations model(adapt(LightDarkSpace<2, false>{}), {0, 1, 0, 5, 4, 1, 4, 5});
  EXPECT_TRUE(model.has(Capability::kLikelihood));
  const float seen[] = {1.9f, 3.1f, 2.1f, 2.9f};
  EXPECT_EQ(model.classify(seen), 1);
  EXPECT_EQ(model.classify(seen + 2), 2);
}

TEST(Cluster, LikelihoodOfABoxIsHowOftenItIsSeen) {
  using Space = LightDarkSpace<3, false>;
  const ClusterOptions options{.num_clusters = 12, .num_samples = 2000};
  const auto model = cluster_observations(adapt(Space{}), options);
  ASSERT_EQ(model->facts().num_observations, 12);
  constexpr int kLanes = 20'000;
  for (float first : {4.5f, 1.0f}) {  // sharp and dim
    RecordBuffer state(model->state_size(), kLanes);
    for (int i = 0; i < kLanes; ++i) state.as<Space::State>(i) = {{first, 0.4f, -0.5f}, 0};
    StepBuffers b(*model, kLanes);
    const int action = 4;
    model->step(state, std::vector<int>(kLanes, action), {RngKey::from_seed(7)}, b.results(kLanes));
    std::vector<double> share(12, 0.0);
    for (int i = 0; i < kLanes; ++i) share[b.seen.as<int>(i)] += 1.0 / kLanes;
    for (int o = 0; o < 12; ++o) {
      double p;
      model->likelihood(reinterpret_cast<const std::byte*>(&o),
                        reinterpret_cast<const std::byte*>(&action), b.next.sub(0, 1), {&p, 1});
      EXPECT_NEAR(p, share[o], 0.015) << o;
    }
  }
}

TEST(Cluster, RefusesFiniteObservations) {
  EXPECT_THROW(cluster_observations(adapt(Tiger{}), {}), Error);
}

TEST(Cluster, TakesContinuousActions) {
  const auto model = cluster_observations(adapt(testing_models::Car{}), {.num_clusters = 4});
  EXPECT_EQ(model->facts().num_observations, 4);
  EXPECT_EQ(model->facts().num_actions, 0);
}

}  // namespace
}  // namespace penumbra

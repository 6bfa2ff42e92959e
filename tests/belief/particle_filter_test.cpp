#include "penumbra/belief/particle_filter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "domains/light_dark.h"
#include "domains/registry.h"
#include "domains/rock_sample.h"
#include "domains/tiger.h"
#include "penumbra/base/error.h"
#include "penumbra/belief/exact_filter.h"

namespace penumbra {
namespace {

using History = std::vector<std::pair<int, int>>;  // action, observation

double total_variation(const Pomdp& model, const Particles& p, const std::vector<double>& exact) {
  std::vector<double> difference = exact;
  std::vector<int> index(p.count());
  model.state_index(p.states, index);
  for (size_t i = 0; i < p.count(); ++i) difference[index[i]] -= p.weight(i);
  double sum = 0;
  for (double d : difference) sum += 0.5 * std::abs(d);
  return sum;
}

// The largest distance to the exact belief along a history; evidence must agree, too.
double worst_distance(const std::string& domain, const History& history, bool use_likelihood) {
  const auto model = load_domain(domain);
  const Tabular t = model->table();
  const ExactFilter exact(t);
  FilterOptions options;
  options.num_particles = 20'000;
  options.use_likelihood = use_likelihood;
  const ParticleFilter filter(*model, options);
  std::vector<double> b = exact.initial();
  Particles p = filter.initial(RngKey::from_seed(1));
  double worst = total_variation(*model, p, b);
  uint64_t time = 0;
  for (auto [action, seen] : history) {
    const double evidence = exact.update(b, action, seen);
    const FilterReport report = filter.update(p, action, seen, RngKey::from_seed(2).fold(++time));
    EXPECT_NEAR(report.evidence, evidence, 0.02);
    EXPECT_EQ(report.revived, 0);
    worst = std::max(worst, total_variation(*model, p, b));
  }
  return worst;
}

const History kTigerHistory = {{0, 0}, {0, 0}, {0, 1}, {0, 0}, {2, 1}, {0, 1}, {0, 1}};
// Rock 1 and 2 checked from several cells, one sampled.
const History kRockHistory = {{5, 0}, {6, 1}, {1, 2}, {5, 0}, {2, 2}, {6, 1}, {0, 2}, {6, 0}};
constexpr const char* kRocks = "rock-sample(n=3,rocks=[(2,2),(3,1)],half_distance=2)";

TEST(ParticleFilter, WeightedAgreesWithTheExactFilter) {
  EXPECT_LT(worst_distance("tiger", kTigerHistory, true), 0.02);
  EXPECT_LT(worst_distance(kRocks, kRockHistory, true), 0.03);
}

TEST(ParticleFilter, RejectionAgreesWithTheExactFilter) {
  EXPECT_LT(worst_distance("tiger", kTigerHistory, false), 0.02);
  EXPECT_LT(worst_distance(kRocks, kRockHistory, false), 0.03);
}

TEST(ParticleFilter, RejectionDoesNotFavourTheFirstParticles) {
  const auto model = adapt(Tiger{});
  FilterOptions options;
  options.num_particles = 20'000;
  options.use_likelihood = false;
  const ParticleFilter filter(*model, options);
  Particles p(model->state_size(), 20'000);
  for (size_t i = 0; i < p.count(); ++i) p.states.as<Tiger::State>(i).right = i >= 16'000;
  filter.update(p, Tiger::kListen, 1, RngKey::from_seed(1));
  double right = 0;
  for (size_t i = 0; i < p.count(); ++i) right += p.states.as<Tiger::State>(i).right / 20'000.0;
  EXPECT_NEAR(right, 0.2 * 0.85 / (0.2 * 0.85 + 0.8 * 0.15), 0.015);
}

TEST(ParticleFilter, IsDeterministic) {
  const auto model = load_domain("light-dark");
  const ParticleFilter filter(*model, {});
  const int action = LightDark::kRight;
  const float seen = 2.5f;
  auto run = [&] {
    Particles p = filter.initial(RngKey::from_seed(3));
    filter.update(p, reinterpret_cast<const std::byte*>(&action),
                  reinterpret_cast<const std::byte*>(&seen), RngKey::from_seed(4));
    return p;
  };
  EXPECT_EQ(run().states, run().states);
  EXPECT_EQ(run().weights, run().weights);
}

TEST(ParticleFilter, ContinuousObservationsGiveTheGaussianPosterior) {
  // Constant noise: a Kalman filter is exact.
  const auto model = load_domain("light-dark(noise_slope=0,noise_floor=2)");
  FilterOptions options;
  options.num_particles = 50'000;
  const ParticleFilter filter(*model, options);
  Particles p = filter.initial(RngKey::from_seed(3));
  const int action = LightDark::kRight;
  const float seen = 6;
  const FilterReport report =
      filter.update(p, reinterpret_cast<const std::byte*>(&action),
                    reinterpret_cast<const std::byte*>(&seen), RngKey::from_seed(4));
  double mean = 0;
  for (size_t i = 0; i < p.count(); ++i) mean += p.weight(i) * p.states.as<LightDark::State>(i).y;
  EXPECT_NEAR(mean, 3 + 9.0 / 13 * (6 - 3), 0.05);
  EXPECT_NEAR(report.evidence, std::exp(-0.5 * 9 / 13) / std::sqrt(2 * M_PI * 13), 0.003);
}

TEST(ParticleFilter, ResamplesWhenTheEffectiveSizeFalls) {
  const auto model = load_domain("light-dark");
  const ParticleFilter filter(*model, {});
  Particles p = filter.initial(RngKey::from_seed(3));
  const int action = LightDark::kRight;
  const float seen = 5.02f;
  const FilterReport report =
      filter.update(p, reinterpret_cast<const std::byte*>(&action),
                    reinterpret_cast<const std::byte*>(&seen), RngKey::from_seed(4));
  EXPECT_LT(report.effective_size, 500);
  EXPECT_TRUE(report.resampled);
  EXPECT_TRUE(p.weights.empty());
  EXPECT_EQ(p.count(), 1000);
}

TEST(ParticleFilter, RevivesAndCountsWhenNoParticleExplainsTheObservation) {
  const auto model = load_domain("light-dark");
  const ParticleFilter filter(*model, {});
  Particles p = filter.initial(RngKey::from_seed(3));
  const int action = LightDark::kRight;
  const float seen = 1e6f;
  const FilterReport report =
      filter.update(p, reinterpret_cast<const std::byte*>(&action),
                    reinterpret_cast<const std::byte*>(&seen), RngKey::from_seed(4));
  EXPECT_EQ(report.revived, 1000);
  EXPECT_EQ(report.evidence, 0);
  EXPECT_EQ(p.count(), 1000);
}

TEST(ParticleFilter, RejectionRevivesToo) {
  const auto model = load_domain("tiger(accuracy=1)");
  FilterOptions options;
  options.use_likelihood = false;
  const ParticleFilter filter(*model, options);
  Particles p(model->state_size(), 1000);  // the tiger is left for certain
  EXPECT_EQ(filter.update(p, Tiger::kListen, 1, RngKey::from_seed(4)).revived, 1000);
}

TEST(ParticleFilter, StartsOverWhenAllParticlesHaveEnded) {
  const auto model = load_domain("rock-sample(n=1,k=1)");
  for (bool use_likelihood : {true, false}) {
    FilterOptions options;
    options.num_particles = 100;
    options.use_likelihood = use_likelihood;
    const ParticleFilter filter(*model, options);
    Particles p = filter.initial(RngKey::from_seed(1));
    EXPECT_EQ(filter.update(p, RockSample::kEast, RockSample::kNone, RngKey::from_seed(2)).revived,
              100);
    EXPECT_EQ(p.states.as<RockSample::State>(0).x, 1);
  }
}

TEST(ParticleFilter, RefusesWhatItCannotFilter) {
  EXPECT_THROW(ParticleFilter(*load_domain("tiger"), {.num_particles = 0}), Error);
  const auto continuous = load_domain("light-dark");
  FilterOptions rejection;
  rejection.use_likelihood = false;
  EXPECT_THROW(ParticleFilter(*continuous, rejection), Error);
}

}  // namespace
}  // namespace penumbra

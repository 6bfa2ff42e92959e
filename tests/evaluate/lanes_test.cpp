// How many lanes a model wants per call changes how it is called, never what comes out.
#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/model/decorated.h"
#include "penumbra/policy/named.h"
#include "penumbra/policy/rollouts.h"

namespace penumbra {
namespace {

class ManyLanes final : public Decorated {
 public:
  ManyLanes(std::unique_ptr<Pomdp> inner, size_t lanes)
      : Decorated(std::move(inner)), lanes_(lanes) {
    set_facts(this->inner().facts(), this->inner().capabilities(), this->inner().state_size(),
              this->inner().seen_size(), this->inner().action_size());
  }
  size_t lanes_per_call() const override { return lanes_; }

 private:
  size_t lanes_;
};

TEST(LanesPerCall, ScoresAndComparisonsKeepTheirBits) {
  const std::unique_ptr<Pomdp> plain = load_domain("rock-sample(n=4,k=3)");
  ThreadPool pool(3);
  EvaluateOptions how;
  how.episodes = 10'000;
  const auto random = named_policy("random", *plain),
             east = named_policy("blind(action=east)", *plain);
  const Score expected = evaluate(*plain, *random, how, pool);
  const Comparison pair = compare(*plain, *random, *east, how, pool);
  for (size_t lanes : {1, 4096, 100'000}) {
    const ManyLanes many(load_domain("rock-sample(n=4,k=3)"), lanes);
    const Score score = evaluate(many, *random, how, pool);
    EXPECT_EQ(score.mean, expected.mean);
    EXPECT_EQ(score.standard_error, expected.standard_error);
    EXPECT_EQ(score.undiscounted.mean, expected.undiscounted.mean);
    EXPECT_EQ(score.steps, expected.steps);
    EXPECT_EQ(compare(many, *random, *east, how, pool).difference.mean, pair.difference.mean);
  }
}

TEST(LanesPerCall, RolloutsKeepTheirBits) {
  const std::unique_ptr<Pomdp> plain = load_domain("rock-sample(n=4,k=3)");
  Fsc fsc;
  fsc.num_observations = plain->facts().num_observations;
  fsc.add_node(2);
  RecordBuffer states(plain->state_size(), 5000);
  plain->sample_initial({RngKey::from_seed(1)}, states);
  const std::vector<float> expected =
      Rollouts(*plain, 30).returns(fsc, 0, states, RngKey::from_seed(2));
  const ManyLanes many(load_domain("rock-sample(n=4,k=3)"), 4096);
  EXPECT_EQ(Rollouts(many, 30).returns(fsc, 0, states, RngKey::from_seed(2)), expected);
}

TEST(LanesPerCall, DecoratorsPassItOn) {
  EXPECT_EQ(load_domain("light-dark(clusters=5)")->lanes_per_call(), 256u);
}

}  // namespace
}  // namespace penumbra

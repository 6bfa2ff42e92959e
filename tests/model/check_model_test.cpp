// The kit finds what it is there to find: each model here breaks one promise.
#include "penumbra/model/check_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/light_dark.h"
#include "domains/tiger.h"
#include "penumbra/model/decorated.h"
#include "tests/model/small_models.h"

namespace penumbra {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::StartsWith;

#define EXPECT_FINDS(model, what) EXPECT_THAT(check_model(*(model)), Contains(StartsWith(what)))

TEST(CheckModel, FindsNothingInGoodModels) {
  EXPECT_THAT(check_model(*adapt(Tiger{})), IsEmpty());
  EXPECT_THAT(check_model(*adapt(LightDark{})), IsEmpty());
  EXPECT_THAT(check_model(*adapt(testing_models::Padded{})), IsEmpty());
  EXPECT_THAT(check_model(*adapt(testing_models::Car{})), IsEmpty());
}

TEST(CheckModel, FindsRewardsOutOfRange) {
  struct Generous : Tiger {
    Facts facts() const {
      Facts f = Tiger::facts();
      f.max_reward = 9;
      return f;
    }
  };
  EXPECT_FINDS(adapt(Generous{}), "rewards");
}

TEST(CheckModel, FindsObservationsOutOfRange) {
  struct Talkative : testing_models::Padded {
    using Observation = int;
    Facts facts() const {
      Facts f = Padded::facts();
      f.num_observations = 2;
      return f;
    }
    Outcome<State, int> step(const State& s, int a, Rng& rng) const {
      const auto o = Padded::step(s, a, rng);
      return {o.next, static_cast<int>(o.next.place), o.reward};
    }
  };
  EXPECT_FINDS(adapt(Talkative{}), "observations");
}

TEST(CheckModel, FindsFeaturesThatAreBroken) {
  struct Far : LightDark {
    void encode(const State& s, FeatureRow row) const { row.category[0] = int(s.y) + 200; }
  };
  struct Infinite : LightDark {
    void encode(const State& s, FeatureRow row) const { row.dense[0] = 1 / float(s.stopped); }
  };
  struct Stray : Tiger {
    FeatureLayout features() const { return {{}, 3, 0}; }
    void encode(const State& s, FeatureRow row) const { row.bits[0] = uint32_t(s.right) << 5; }
  };
  EXPECT_FINDS(adapt(Far{}), "features");
  EXPECT_FINDS(adapt(Infinite{}), "features");
  EXPECT_FINDS(adapt(Stray{}), "features");
}

TEST(CheckModel, FindsAProbabilityThatDoesNotSumToOne) {
  struct Short : Tiger {
    double likelihood(int seen, int a, const State& next) const {
      return 0.99 * Tiger::likelihood(seen, a, next);
    }
  };
  EXPECT_FINDS(adapt(Short{}), "likelihood: sums to 0.99");
}

TEST(CheckModel, FindsAProbabilityThatDisagreesWithSimulation) {
  struct Sure : Tiger {
    double likelihood(int seen, int a, const State& next) const {
      return a != kListen ? 0.5 : seen == next.right ? 0.9 : 0.1;
    }
  };
  EXPECT_FINDS(adapt(Sure{}), "likelihood against simulation");
  EXPECT_FINDS(adapt(Sure{}), "table: observation");
}

TEST(CheckModel, FindsADensityThatIsNone) {
  struct Doubled : LightDark {
    double likelihood(float o, int a, const State& s) const {
      return 2 * LightDark::likelihood(o, a, s);
    }
  };
  struct Shifted : LightDark {
    double likelihood(float o, int a, const State& s) const {
      return LightDark::likelihood(o + 0.2f * deviation(s.y), a, s);
    }
    double cumulative(float o, int a, const State& s) const {
      return LightDark::cumulative(o + 0.2f * deviation(s.y), a, s);
    }
  };
  EXPECT_FINDS(adapt(Doubled{}), "density: integrates to 2");
  EXPECT_FINDS(adapt(Shifted{}), "density: the observations are");
  EXPECT_FINDS(adapt(Shifted{}), "cumulative");
}

TEST(CheckModel, FindsAnMdpValueThatIsNoUpperBound) {
  struct Modest : LightDark {
    double mdp_value(const State& s) const { return 0.9 * LightDark::mdp_value(s); }
  };
  EXPECT_FINDS(adapt(Modest{}), "MDP value");
  struct Gloomy : Tiger {
    double mdp_value(const State&) const { return 150; }
  };
  EXPECT_FINDS(adapt(Gloomy{}), "MDP value");
}

// Tiger with a table that `Spoil` has changed.
template <class Spoil>
struct WrongTable : Tiger {
  Tabular table() const {
    Tabular t = Tiger::table();
    Spoil{}(t);
    return t;
  }
};

TEST(CheckModel, FindsTablesThatDisagreeWithSimulation) {
  struct Reward {
    void operator()(Tabular& t) const { t.reward[0][1] = -1.1; }
  };
  struct Start {
    void operator()(Tabular& t) const { t.start = {0.6, 0.4}; }
  };
  struct Transition {
    void operator()(Tabular& t) const {
      for (int a : {1, 2}) {
        t.transition[a].entries[0].value = 0.55;
        t.transition[a].entries[1].value = 0.45;
      }
    }
  };
  struct Terminal {
    void operator()(Tabular& t) const { t.terminal[1] = 1; }
  };
  EXPECT_FINDS(adapt(WrongTable<Reward>{}), "table: reward");
  EXPECT_FINDS(adapt(WrongTable<Start>{}), "table: start");
  EXPECT_FINDS(adapt(WrongTable<Transition>{}), "table: transition");
  EXPECT_FINDS(adapt(WrongTable<Terminal>{}), "table: is wrong about whether");
}

// Models that implement the batched interface and get it wrong.
struct Batched : Decorated {
  explicit Batched(std::unique_ptr<Pomdp> m = adapt(LightDark{})) : Decorated(std::move(m)) {
    set_facts(inner().facts(), inner().capabilities(), inner().state_size(), inner().seen_size(),
              inner().action_size());
  }
  using Decorated::step;
};

TEST(CheckModel, FindsTerminalStatesThatGoOn) {
  struct Restless : Batched {
    void step(ConstRecords s, ConstRecords a, Streams streams,
              const StepResults& out) const override {
      RecordBuffer was(s.size);
      was.append(s);
      inner().step(s, a, streams, out);
      for (size_t i = 0; i < s.count; ++i)
        if (was.as<LightDark::State>(i).stopped) out.seen.as<float>(i) = 1;
    }
  };
  EXPECT_FINDS(std::make_unique<Restless>(), "terminal states: left emits");
}

TEST(CheckModel, FindsLanesThatDependOnTheBatch) {
  struct Shared : Batched {
    void step(ConstRecords s, ConstRecords a, Streams streams,
              const StepResults& out) const override {
      inner().step(s, a, {streams.key, streams.first}, out);  // forgets the ids
    }
  };
  struct Positional : Batched {
    void step(ConstRecords s, ConstRecords a, Streams streams,
              const StepResults& out) const override {
      inner().step(s, a, {streams.key}, out);  // streams by position in the batch
    }
  };
  EXPECT_FINDS(std::make_unique<Shared>(), "lanes by id");
  EXPECT_FINDS(std::make_unique<Positional>(), "lanes of step");
}

TEST(CheckModel, FindsStepsThatReadWhatTheyHaveWritten) {
  struct Careless : Batched {
    void step(ConstRecords s, ConstRecords a, Streams streams,
              const StepResults& out) const override {
      std::fill_n(out.next.data, s.size * s.count, std::byte{0});
      inner().step(s, a, streams, out);
    }
  };
  EXPECT_FINDS(std::make_unique<Careless>(), "next in the memory of state");
}

TEST(CheckModel, FindsBytesThatAreNotWritten) {
  struct Leaky : Batched {
    Leaky() : Batched(adapt(testing_models::Padded{})) {}
    void sample_initial(Streams streams, Records out) const override {
      for (size_t i = 0; i < out.count; ++i) {
        Rng rng = streams.rng(i);
        const double place = std::floor(rng.uniform() * 3);
        std::memcpy(out.at(i), &place, sizeof place);
        out.at(i)[8] = std::byte{0};
      }
    }
  };
  EXPECT_FINDS(std::make_unique<Leaky>(), "lanes of sample_initial");
}

TEST(CheckModel, FindsEndsThatAreNotReported) {
  struct Silent : Batched {
    void step(ConstRecords s, ConstRecords a, Streams streams,
              const StepResults& out) const override {
      inner().step(s, a, streams, out);
      std::fill(out.ended.begin(), out.ended.end(), uint8_t{0});
    }
  };
  EXPECT_FINDS(std::make_unique<Silent>(), "ended");
}

}  // namespace
}  // namespace penumbra

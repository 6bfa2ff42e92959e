// Islands as rounds of the frame: what they exchange, how they end, and what is refused.
// team_test.cpp has them on many ranks.
#include "penumbra/solvers/islands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/conformance/solver_kit.h"
#include "tests/error_of.h"

namespace penumbra {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// An island whose controller is a number: a round adds its speed to it.
struct Counted {
  std::vector<double> taken;  // what it was offered, in order
  int started = 0;
};

class CountingIsland final : public Island {
 public:
  CountingIsland(double speed, Counted& counted) : speed_(speed), counted_(counted) {}

  void start() override { ++counted_.started; }
  bool round(const Stop& stop) override {
    if (asked_to_stop(stop)) return false;
    backups_ += 10;
    value_ += speed_;
    return true;
  }
  uint64_t backups() const override { return backups_; }
  Standing standing() const override { return {.nodes = static_cast<int>(backups_)}; }
  void evaluate(SolveProgress& line, const Stop&) override {
    line.simulated = {value_, 0, value_ - 1, value_ + 1, 100};
    line.upper.value = 1000 + speed_;
    if (best_.episodes() == 0 || value_ > best_.mean)
      static_cast<Estimate&>(best_) = line.simulated;
  }
  const Work& work() const override { return work_; }
  void finish(Solution& s) override { s.estimate = best_.mean; }
  void offer(Saver& saver) override { saver(value_); }
  void take(Loader& loader) override {
    double other = 0;
    loader(other);
    counted_.taken.push_back(other);
    value_ = std::max(value_, other);
  }
  void archive_best(Saver& saver) override { saver(best_); }
  void archive_best(Loader& loader) override { loader(best_); }
  const Score& best_score() const override { return best_; }
  void archive(Saver& saver) override { all(saver); }
  void archive(Loader& loader) override { all(loader); }

 private:
  template <class Archive>
  void all(Archive& a) {
    a(backups_, value_, best_);
  }
  double speed_, value_ = 0;
  Counted& counted_;
  uint64_t backups_ = 0;
  Score best_;
  Work work_;
};

struct CountingIslands {
  explicit CountingIslands(IslandOptions o, uint64_t backups = 0)
      : counted(o.count), islands(o, backups, pool, {}, [this](int i, ThreadPool&) {
          return std::make_unique<CountingIsland>(1 + i, counted[i]);
        }) {}
  ThreadPool pool{2};
  std::vector<Counted> counted;
  Islands islands;
};

TEST(Islands, OfferTheBestControllerToTheOthers) {
  CountingIslands c({.count = 3, .exchange = 100});
  c.islands.start();
  // Rounds end after 64, 128 and 256 backups of each; the second one with an exchange.
  for (int round = 0; round < 3; ++round) ASSERT_TRUE(c.islands.round({}));
  EXPECT_THAT(c.counted[0].taken, ElementsAre(39));
  EXPECT_THAT(c.counted[1].taken, ElementsAre(39));
  EXPECT_TRUE(c.counted[2].taken.empty());
  EXPECT_EQ(c.islands.backups(), 3u * 260);
}

TEST(Islands, GiveTheBestOfAllWithTheUpperValueOfTheFirst) {
  CountingIslands c({.count = 3, .exchange = 1000});
  c.islands.start();
  ASSERT_TRUE(c.islands.round({}));
  Solution solution;
  c.islands.finish(solution);
  EXPECT_EQ(solution.estimate, 3 * 7);
  EXPECT_EQ(solution.upper.value, 1001);
  EXPECT_EQ(c.islands.standing().gap, 1001 - (21 - 1));
  EXPECT_EQ(c.islands.standing().nodes, 70);
}

TEST(Islands, ShareTheLimitOfBackupsAndGoOnLater) {
  CountingIslands first({.count = 2, .exchange = 100}, 150), second({.count = 2, .exchange = 100});
  first.islands.start();
  while (first.islands.backups() < 150) ASSERT_TRUE(first.islands.round({}));
  EXPECT_EQ(first.islands.backups(), 160u);
  BytesSink sink;
  Saver saver(sink);
  first.islands.archive(saver);
  // A look at the end changes nothing of what goes on from there.
  SolveProgress line;
  first.islands.evaluate(line, {});
  EXPECT_EQ(line.simulated.mean, 2 * 8);
  BytesSource source(sink.bytes);
  Loader loader(source);
  second.islands.archive(loader);
  ASSERT_TRUE(second.islands.round({}));
  EXPECT_EQ(second.islands.backups(), 260u);
  ASSERT_TRUE(second.islands.round({}));
  EXPECT_THAT(second.counted[0].taken, ElementsAre(26));
  EXPECT_EQ(second.counted[0].started, 0);
}

TEST(Islands, AreStoppedWithinARound) {
  CountingIslands c({.count = 2, .exchange = 100});
  c.islands.start();
  EXPECT_FALSE(c.islands.round([] { return true; }));
  EXPECT_EQ(c.islands.backups(), 0u);
  EXPECT_TRUE(c.islands.round({}));
}

std::vector<std::byte> policy_bytes(const Pomdp& model, const std::string& options) {
  return encode_policy(policy_of(solve("nvi", model, work(150), 1, 1, options), model));
}

TEST(Islands, OneIsNone) {
  const auto model = load_domain("rock-sample(n=4,k=3)");
  EXPECT_EQ(policy_bytes(*model, "start=blind evaluations=500 islands=1 exchange=50"),
            policy_bytes(*model, "start=blind evaluations=500"));
}

TEST(Islands, KeepToALimitThatTheyShare) {
  const auto model = load_domain("rock-sample(n=4,k=3)");
  const Solution s =
      solve("nvi", *model, work(450), 1, 1, "start=blind islands=3 exchange=100 evaluations=500");
  EXPECT_EQ(s.status, "backups");
  EXPECT_GE(s.backups, 450u);
  EXPECT_LT(s.backups, 450u + 3 * 150);
}

// Stopped at any moment, even before there is a first controller.
TEST(Islands, GivePoliciesWhenCancelled) {
  const auto model = load_domain("rock-sample(n=4,k=3)");
  for (const int asked : {0, 1, 5, 40, 300}) {
    Limits limits = work(0);
    std::atomic<int> left = asked;
    limits.cancelled = [&] { return left-- <= 0; };
    const Solution s = solve("nvi", *model, limits, 2, 1, "islands=3 exchange=100");
    EXPECT_EQ(s.status, "cancelled");
    EXPECT_GT(controller_of(s).num_nodes(), 0);
  }
}

TEST(Islands, AreRefusedWhereThereIsOneControllerByNature) {
  const auto model = load_domain("tiger");
  for (const char* solver : {"nvi", "mcvi"})
    EXPECT_THAT(error_of([&] { solve(solver, *model, work(50), 1, 1, "islands=2 preset=paper"); }),
                HasSubstr("the preset paper has one controller; leave out islands or the preset"));
  EXPECT_THAT(error_of([&] { solve("nvi", *model, work(50), 1, 1, "islands=0"); }),
              HasSubstr("islands"));
}

}  // namespace
}  // namespace penumbra

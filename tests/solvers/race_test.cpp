#include "penumbra/solvers/mcvi/race.h"

#include <gtest/gtest.h>

#include "tests/solvers/tiger_nodes.h"

namespace penumbra::mcvi {
namespace {

using controller::RecentNode;
using N = TigerNodes;

const std::vector<double> kBeliefs{0.0, 0.15, 0.5, 0.85, 1.0};
// All enter; nobody leaves before the particles have spoken.
const RaceOptions kAllEnter{
    .by_similarity = 100, .random_nodes = 0, .first_particles = 500, .winners = 2};

class TigerRace {
 public:
  explicit TigerRace(const RaceOptions& options)
      : race(*tiger.model, options, RngKey::from_seed(1)) {
    const double born_at[] = {0.5, 0.5, 0.15, 0.85, 0.03, 0.97};
    ThreadPool pool(1);
    for (int n = 0; n < tiger.fsc.num_nodes(); ++n)
      race.add(n, {tiger.draw(born_at[n], 100, n), {}}, {}, RngKey::from_seed(n), pool);
  }
  std::vector<std::vector<int>> find(const Race& in, std::span<const RecentNode> recent = {}) {
    return find(in, tiger.fsc, recent);
  }
  std::vector<std::vector<int>> find(const Race& in, const Fsc& fsc,
                                     std::span<const RecentNode> recent = {}) {
    RecordBuffer states(tiger.model->state_size());
    std::vector<int32_t> group;
    for (size_t g = 0; g < kBeliefs.size(); ++g) {
      states.append(tiger.draw(kBeliefs[g], 4000, 9 + g));
      group.resize(states.count(), static_cast<int32_t>(g));
    }
    std::vector<uint64_t> id(states.count());
    for (size_t i = 0; i < id.size(); ++i) id[i] = i % 4000;
    Rollouts rollouts(*tiger.model, 100);
    std::vector<std::vector<int>> out;
    in.find({fsc, states, group, static_cast<int>(kBeliefs.size()), id, recent, rollouts,
             RngKey::from_seed(4)},
            out);
    return out;
  }

  TigerNodes tiger;
  Race race;
};

TEST(Race, IsWonByTheExactlyBestNode) {
  TigerRace t(kAllEnter);
  const auto found = t.find(t.race);
  for (size_t g = 0; g < kBeliefs.size(); ++g) {
    ASSERT_EQ(found[g].size(), 2u);
    EXPECT_EQ(found[g][0], t.tiger.best_node(kBeliefs[g])) << kBeliefs[g];
  }
}

TEST(Race, IsTheSameEveryTime) {
  TigerRace a({.by_similarity = 2, .random_nodes = 3, .winners = 1}),
      b({.by_similarity = 2, .random_nodes = 3, .winners = 1});
  EXPECT_EQ(a.find(a.race), b.find(b.race));
  EXPECT_EQ(a.find(a.race), a.find(a.race));
}

// With one place by similarity and no other, the node that was made for this belief enters.
TEST(Race, IsEnteredByNodesMadeForSimilarBeliefs) {
  TigerRace t({.by_similarity = 1, .random_nodes = 0});
  const auto found = t.find(t.race);
  EXPECT_EQ(found[0], std::vector<int>{N::kOpenRight});
  EXPECT_EQ(found[1], std::vector<int>{N::kLeft});
  EXPECT_EQ(found[4], std::vector<int>{N::kOpenLeft});
}

TEST(Race, EndsWithTheNodesOfTheSameExcursion) {
  RaceOptions options = kAllEnter;
  options.same_excursion = 1;
  TigerRace t(options);
  const std::vector<RecentNode> recent{{70, t.race.origin(t.tiger.draw(0.9, 200, 1))},
                                       {71, t.race.origin(t.tiger.draw(0.1, 200, 2))}};
  const auto found = t.find(t.race, recent);
  EXPECT_EQ(found[0].back(), 71);
  EXPECT_EQ(found[4].back(), 70);
}

TEST(Race, IsRunByTheNodeThatWasHandedOverTo) {
  TigerRace t(kAllEnter);
  Fsc grown = t.tiger.fsc;
  const int copy = grown.add_node(Tiger::kOpenRight, N::kEven);
  t.race.hand_over(N::kOpenRight, copy);
  EXPECT_EQ(t.find(t.race, grown)[0][0], copy);
}

// Who is nearest by birth shows which number belongs to which birth.
TEST(Race, IsRunByRenumberedNodes) {
  TigerRace t({.by_similarity = 1, .random_nodes = 0});
  const std::vector<int> number{2, -1, 0, 3, 1, -1};
  t.race.renumber(number);
  Fsc smaller;
  smaller.num_observations = 2;
  for (int n = 0; n < 4; ++n) smaller.add_node(Tiger::kListen);
  const auto found = t.find(t.race, smaller);
  EXPECT_EQ(found[0], std::vector<int>{number[N::kOpenRight]});
  EXPECT_EQ(found[1], std::vector<int>{number[N::kLeft]});
  EXPECT_EQ(found[4], std::vector<int>{number[N::kRight]});  // kOpenLeft is gone
}

TEST(Race, FindsTheSameAfterSavingAndLoading) {
  const RaceOptions options{.by_similarity = 2, .random_nodes = 2, .winners = 2};
  TigerRace t(options);
  BytesSink sink;
  Saver saver(sink);
  t.race.archive(saver);
  Race loaded(*t.tiger.model, options, RngKey::from_seed(1));
  BytesSource source(sink.bytes);
  Loader loader(source);
  loaded.archive(loader);
  EXPECT_EQ(source.left(), 0u);
  EXPECT_EQ(t.find(loaded), t.find(t.race));
}

}  // namespace
}  // namespace penumbra::mcvi

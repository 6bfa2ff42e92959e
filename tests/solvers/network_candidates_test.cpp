#include "penumbra/solvers/nvi/network_candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/solvers/tiger_nodes.h"

namespace penumbra::nvi {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using N = TigerNodes;

// All nodes of a tiger controller, fitted to their exact values in both states.
class TigerNetworks {
 public:
  explicit TigerNetworks(const NetworkCandidateOptions& options, int threads = 1)
      : pool_(threads), known(*tiger.model, options, RngKey::from_seed(1)) {
    known.set_pool(both_states(32), pool_);
    for (int n = 0; n < tiger.fsc.num_nodes(); ++n) add(n, n);
  }
  // Another node with the values of one that there is.
  void add(int node, int like) {
    const std::vector<double> values = fsc_values(tiger.fsc, tiger.table);
    const auto returns = [&](const RecordBuffer& states) {
      std::vector<float> out;
      for (size_t i = 0; i < states.count(); ++i)
        out.push_back(static_cast<float>(values[like * 2 + states.as<int32_t>(i)]));
      return out;
    };
    const RecordBuffer own = tiger.draw(born_at(like), 200, node);
    known.add(node, {own, returns(own)}, returns(known.pool_states()), RngKey::from_seed(node),
              pool_);
  }
  // The belief that a node was made for.
  static double born_at(int node) {
    const double right[] = {0.5, 0.5, 0.15, 0.85, 0.03, 0.97};
    return right[node];
  }
  // Candidates for one belief after the other.
  std::vector<std::vector<int>> find(const std::vector<double>& beliefs,
                                     std::span<const RecentNode> recent = {}) {
    return find(known, beliefs, recent);
  }
  std::vector<std::vector<int>> find(const NetworkCandidates& in,
                                     const std::vector<double>& beliefs,
                                     std::span<const RecentNode> recent = {}) {
    RecordBuffer states(tiger.model->state_size());
    std::vector<int32_t> group;
    for (size_t g = 0; g < beliefs.size(); ++g) {
      states.append(tiger.draw(beliefs[g], 400, 9));
      group.resize(states.count(), static_cast<int32_t>(g));
    }
    const std::vector<uint64_t> id(states.count(), 0);
    Rollouts rollouts(*tiger.model, 10);
    std::vector<std::vector<int>> out;
    in.find({tiger.fsc, states, group, static_cast<int>(beliefs.size()), id, recent, rollouts,
             RngKey::from_seed(4)},
            out);
    return out;
  }

  TigerNodes tiger;

 private:
  RecordBuffer both_states(size_t count) const {
    RecordBuffer states(tiger.model->state_size(), count);
    for (size_t i = 0; i < count; ++i) states.as<int32_t>(i) = i % 2;
    return states;
  }
  ThreadPool pool_;

 public:
  NetworkCandidates known;
};

const NetworkCandidateOptions kByValue{
    .by_value = 2, .by_similarity = 0, .same_excursion = 0, .bank = {.features = 16}};
const NetworkCandidateOptions kBySimilarity{
    .by_value = 0, .by_similarity = 1, .same_excursion = 2, .bank = {.features = 16}};
const std::vector<double> kBeliefs{0.0, 0.12, 0.5, 0.88, 1.0};

TEST(NetworkCandidates, AreTheNodesOfExactlyTheHighestValueBestFirst) {
  TigerNetworks networks(kByValue);
  const auto found = networks.find(kBeliefs);
  for (size_t g = 0; g < kBeliefs.size(); ++g) {
    ASSERT_EQ(found[g].size(), 2u);
    EXPECT_EQ(found[g][0], networks.tiger.best_node(kBeliefs[g])) << kBeliefs[g];
  }
}

TEST(NetworkCandidates, AreNodesMadeForSimilarBeliefs) {
  NetworkCandidateOptions options = kBySimilarity;
  options.by_similarity = 2;  // of the eight nearest; there are six
  TigerNetworks networks(options);
  const auto found = networks.find({0.03, 0.97});
  EXPECT_THAT(found[0], Contains(N::kOpenRight));
  EXPECT_THAT(found[1], Contains(N::kOpenLeft));
}

TEST(NetworkCandidates, TakeInTheNearestNodesOfTheSameExcursion) {
  NetworkCandidateOptions options = kByValue;
  options.same_excursion = 1;
  TigerNetworks networks(options);
  const std::vector<RecentNode> recent{
      {70, networks.known.origin(networks.tiger.draw(0.9, 200, 1))},
      {71, networks.known.origin(networks.tiger.draw(0.1, 200, 2))}};
  const auto found = networks.find({0.12, 0.88}, recent);
  EXPECT_EQ(found[0].back(), 71);
  EXPECT_EQ(found[1].back(), 70);
}

TEST(NetworkCandidates, HaveNothingForAGroupWithoutStates) {
  TigerNetworks networks(kByValue);
  const RecordBuffer states = networks.tiger.draw(0.5, 10, 1);
  const std::vector<int32_t> group(10, 1);
  const std::vector<uint64_t> id(10, 0);
  Rollouts rollouts(*networks.tiger.model, 10);
  std::vector<std::vector<int>> out;
  networks.known.find({networks.tiger.fsc, states, group, 2, id, {}, rollouts, {}}, out);
  EXPECT_TRUE(out[0].empty());
  EXPECT_EQ(out[1].size(), 2u);
}

TEST(NetworkCandidates, SpeakForTheNodeThatTheyWereHandedOverTo) {
  TigerNetworks networks(kByValue);
  networks.known.hand_over(N::kOpenRight, 20);
  EXPECT_EQ(networks.find({0.0})[0][0], 20);
  EXPECT_THAT(networks.find({0.0})[0], Not(Contains(N::kOpenRight)));
  EXPECT_EQ(networks.known.alpha(21)[20], N::kOpenRight);
  networks.known.hand_over(50, 51);  // nothing is known of 50
  EXPECT_EQ(networks.find({0.0})[0][0], 20);
}

TEST(NetworkCandidates, AreRenumberedAndForgotten) {
  TigerNetworks networks(kByValue);
  const std::vector<int> number{2, -1, 0, 3, 1, -1};
  networks.known.renumber(number);
  EXPECT_EQ(networks.find({0.0})[0][0], number[N::kOpenRight]);
  for (const auto& found : networks.find(kBeliefs))
    for (int node : found) EXPECT_LT(node, 4);
  EXPECT_THAT(networks.known.alpha(4), ElementsAre(1, 3, 0, 2));
  EXPECT_EQ(networks.known.network_evaluations(10), 40u);
}

TEST(NetworkCandidates, FindTheSameAfterSavingAndLoading) {
  TigerNetworks networks({.by_value = 2, .by_similarity = 2, .bank = {.features = 16}});
  networks.known.hand_over(N::kEven, 8);
  BytesSink sink;
  Saver saver(sink);
  networks.known.archive(saver);
  NetworkCandidates loaded(*networks.tiger.model,
                           {.by_value = 2, .by_similarity = 2, .bank = {.features = 16}},
                           RngKey::from_seed(1));
  BytesSource source(sink.bytes);
  Loader loader(source);
  loaded.archive(loader);
  EXPECT_EQ(source.left(), 0u);
  EXPECT_EQ(networks.find(loaded, kBeliefs), networks.find(kBeliefs));
  EXPECT_EQ(loaded.alpha(9), networks.known.alpha(9));
  EXPECT_EQ(loaded.save_networks(), networks.known.save_networks());
}

TEST(NetworkCandidates, DoNotDependOnTheNumberOfThreads) {
  TigerNetworks one({.bank = {.features = 16}}, 1), three({.bank = {.features = 16}}, 3);
  EXPECT_EQ(one.known.save_networks(), three.known.save_networks());
  EXPECT_EQ(one.find(kBeliefs), three.find(kBeliefs));
}

}  // namespace
}  // namespace penumbra::nvi

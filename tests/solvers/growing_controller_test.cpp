#include "penumbra/solvers/controller/growing_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/policy/fnc.h"
#include "tests/solvers/every_node.h"

namespace penumbra::controller {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

using History = std::vector<int>;  // observations since the start

// All of up to four observations, of two kinds.
std::vector<History> histories() {
  std::vector<History> all{{}};
  for (size_t i = 0; i < all.size(); ++i)
    for (int o = 0; all[i].size() < 4 && o < 2; ++o) {
      all.push_back(all[i]);
      all.back().push_back(o);
    }
  return all;
}

bool begins_with(const History& h, const History& with) {
  return h.size() >= with.size() && std::equal(with.begin(), with.end(), h.begin());
}

int node_after(const Fsc& fsc, const History& h, int from) {
  for (int seen : h) from = fsc.next(from, seen);
  return from;
}

int action_after(const Fsc& fsc, const History& h) {
  return fsc.action[node_after(fsc, h, fsc.start)];
}

// Blind nodes 0, 1, 2. Node 3 does 0 and stays while it sees 0; node 4 does 1 and goes back on 1.
enum { kHere = 3, kThere = 4 };

class GrowingControllers : public testing::Test {
 protected:
  GrowingControllers() {
    for (int a = 0; a < 3; ++a) controller_.add_blind(a);
    Fsc loop;
    loop.num_observations = 2;
    loop.add_node(0);
    loop.add_node(1);
    loop.set_edge(0, 1, 1);
    loop.set_edge(1, 1, 0);
    controller_.replace(loop);
  }

  // After seeing 1, then 0: the action 2 until 1 is seen, then on from kHere. Two nodes, the
  // second of which is only reached from the first.
  Proposal proposal() const {
    Proposal p;
    p.prefix = {{kHere, 0, 1, -1}, {kThere, 1, 0, -1}};
    p.old_node = kThere;
    p.first_new = p.new_node = controller_.num_nodes();
    p.improved = true;
    p.actions = {2, 2};
    p.edges = {p.new_node + 1, kHere, p.new_node + 1, kHere};
    p.fitted.resize(2);
    return p;
  }
  bool take_over(const Proposal& p, bool keep = true, bool wins = false) {
    const auto beats = [&](const Fsc&, int challenger, int champion) {
      asked_.emplace_back(challenger, champion);
      return wins;
    };
    Work work;
    return controller_.take_over(p, keep, beats, work);
  }
  // What the controller does after every history except those that begin with this one.
  void expect_as_before(const Fsc& before, const History& changed) const {
    for (const History& h : histories()) {
      if (begins_with(h, changed)) continue;
      EXPECT_EQ(action_after(controller_.fsc(), h), action_after(before, h))
          << testing::PrintToString(h);
    }
  }

  EveryNode candidates_;
  GrowingController controller_{2, candidates_};
  std::vector<std::pair<int, int>> asked_;  // challengers and champions
};

TEST_F(GrowingControllers, ChangeTheOneHistoryAndNoOther) {
  const Fsc before = controller_.fsc();
  ASSERT_TRUE(take_over(proposal()));
  EXPECT_THAT(asked_, IsEmpty());
  expect_as_before(before, {1, 0});
  const Fsc& now = controller_.fsc();
  for (const History& rest : {History{}, {0}, {0, 0}}) {
    History h{1, 0};
    h.insert(h.end(), rest.begin(), rest.end());
    EXPECT_EQ(action_after(now, h), 2);
  }
  EXPECT_EQ(node_after(now, {1, 0, 1}, now.start), kHere);
}

TEST_F(GrowingControllers, CopyTheWayAndHandItsCandidatesOver) {
  ASSERT_TRUE(take_over(proposal()));
  EXPECT_EQ(controller_.num_nodes(), 5 + 2 + 2);  // its nodes, and a copy for each step of the way
  EXPECT_THAT(candidates_.added, ElementsAre(5, 6));
  EXPECT_THAT(candidates_.handed_over, ElementsAre(Pair(kThere, 7), Pair(kHere, 8)));
  EXPECT_EQ(controller_.fsc().start, 8);
}

TEST_F(GrowingControllers, ReplaceTheStartWithoutAWay) {
  Proposal p = proposal();
  p.prefix.clear();
  p.old_node = kHere;
  ASSERT_TRUE(take_over(p));
  EXPECT_EQ(controller_.fsc().start, p.new_node);
  EXPECT_EQ(controller_.num_nodes(), 7);
}

// Two of one round want to change the same history; the second is asked whether it is better than
// the first. Its numbers are those of the controller that both were made against.
TEST_F(GrowingControllers, CompareProposalsThatMeetAndTakeTheBetter) {
  const Proposal p = proposal();
  ASSERT_TRUE(take_over(p));
  Proposal other = p;
  other.actions = {0, 2};
  ASSERT_TRUE(take_over(other, true, true));
  EXPECT_THAT(asked_, ElementsAre(Pair(9, 5)));
  const Fsc& now = controller_.fsc();
  EXPECT_EQ(action_after(now, {1, 0}), 0);
  EXPECT_EQ(action_after(now, {1, 0, 0}), 2);
  EXPECT_EQ(node_after(now, {1, 0, 0}, now.start), 10);  // its own second node
}

TEST_F(GrowingControllers, AppendOnceWhatLosesItsComparison) {
  ASSERT_TRUE(take_over(proposal()));
  const Fsc before = controller_.fsc();
  candidates_.added.clear();
  for (const bool keep : {true, false}) {
    const int nodes = controller_.num_nodes();
    Proposal loser = proposal();
    loser.first_new = loser.new_node = 5;
    loser.edges = {6, kHere, 6, kHere};
    EXPECT_FALSE(take_over(loser, keep, false));
    EXPECT_EQ(controller_.num_nodes(), nodes + 2);
    EXPECT_THAT(candidates_.added, SizeIs(2));
    candidates_.added.clear();
  }
  EXPECT_EQ(controller_.fsc().start, before.start);
  expect_as_before(before, {2});  // everything
}

TEST_F(GrowingControllers, KeepNodesThatLedNowhereOnlyWhereAsked) {
  Proposal p = proposal();
  p.improved = false;
  const Fsc before = controller_.fsc();
  EXPECT_FALSE(take_over(p, false));
  EXPECT_EQ(controller_.fsc(), before);
  EXPECT_THAT(candidates_.added, IsEmpty());
  EXPECT_FALSE(take_over(p, true));
  EXPECT_EQ(controller_.num_nodes(), before.num_nodes() + 2);
  EXPECT_THAT(candidates_.added, ElementsAre(5, 6));
  EXPECT_EQ(reachable(controller_.fsc()), reachable(before));
}

// Another proposal of the round has changed what the controller does on the way.
TEST_F(GrowingControllers, RefuseAWayThatIsNotTheControllersAnyMore) {
  Proposal detour = proposal();
  detour.prefix = {{kHere, 0, 1, -1}};
  const Proposal p = proposal();
  ASSERT_TRUE(take_over(detour));  // now it does 2 after seeing 1, no longer 1
  const Fsc before = controller_.fsc();
  EXPECT_FALSE(take_over(p, false, true));
  EXPECT_THAT(asked_, IsEmpty());
  EXPECT_EQ(controller_.fsc(), before);
}

// The replacement leads to the new node after 0 and elsewhere after 1.
Proposal with_replacement(Proposal p) {
  const int replacement = p.first_new + 2;
  p.prefix[1].replacement = replacement;
  p.actions.push_back(1);
  p.edges.insert(p.edges.end(), {p.new_node, 2});
  p.fitted.resize(3);
  return p;
}

TEST_F(GrowingControllers, TakeAReplacementInPlaceOfACopy) {
  const Fsc before = controller_.fsc();
  ASSERT_TRUE(take_over(with_replacement(proposal())));
  const Fsc& now = controller_.fsc();
  EXPECT_EQ(node_after(now, {1}, now.start), 7);
  EXPECT_EQ(node_after(now, {1, 0}, now.start), 5);
  EXPECT_EQ(node_after(now, {1, 1}, now.start), 2);  // it goes where the replacement goes
  EXPECT_THAT(candidates_.handed_over, ElementsAre(Pair(kHere, 8)));
  expect_as_before(before, {1});
}

TEST_F(GrowingControllers, DoNotTakeAReplacementForAnotherNode) {
  const Proposal late = with_replacement(proposal());
  ASSERT_TRUE(take_over(proposal()));  // the way leads over a copy of kThere since
  const Fsc before = controller_.fsc();
  ASSERT_TRUE(take_over(late, true, true));
  const Fsc& now = controller_.fsc();
  EXPECT_NE(node_after(now, {1, 1}, now.start), 2);
  expect_as_before(before, {1, 0});
}

// Made in round 0 and of no use: gone once they are old enough and many.
TEST_F(GrowingControllers, DropWhatNothingReachesAndRenumberTheRest) {
  Proposal useless = proposal();
  useless.improved = false;
  for (int i = 0; i < 40; ++i) {
    useless.first_new = useless.new_node = controller_.num_nodes();
    useless.edges = {useless.new_node + 1, kHere, useless.new_node + 1, kHere};
    take_over(useless);
  }
  ASSERT_TRUE(take_over(proposal()));
  const Fsc before = controller_.fsc();
  controller_.end_round(0, 2);
  controller_.end_round(1, 2);
  EXPECT_EQ(controller_.fsc(), before);
  EXPECT_EQ(controller_.live(), 6);  // kHere, kThere, two copies, two new nodes
  EXPECT_THAT(candidates_.renumbered, IsEmpty());
  controller_.end_round(2, 2);
  const Fsc& now = controller_.fsc();
  EXPECT_EQ(now.num_nodes(), 3 + 6);
  EXPECT_EQ(reachable(now), reachable(before));
  for (int a = 0; a < 3; ++a) {
    EXPECT_EQ(now.action[a], a);
    EXPECT_EQ(now.next(a, 0), a);
  }
  ASSERT_THAT(candidates_.renumbered, SizeIs(before.num_nodes()));
  for (int n = 0; n < before.num_nodes(); ++n) {
    const int number = candidates_.renumbered[n];
    if (number < 0) continue;
    EXPECT_EQ(now.action[number], before.action[n]);
    for (int o = 0; o < 2; ++o)
      EXPECT_EQ(now.next(number, o), candidates_.renumbered[before.next(n, o)]);
  }
  EXPECT_EQ(candidates_.renumbered[before.start], now.start);
}

TEST_F(GrowingControllers, DropNothingWhileLittleIsUnused) {
  Proposal useless = proposal();
  useless.improved = false;
  take_over(useless);
  for (uint64_t round = 0; round < 5; ++round) controller_.end_round(round, 1);
  EXPECT_EQ(controller_.num_nodes(), 7);
  EXPECT_EQ(controller_.live(), 2);
}

// New nodes of a later round stay although older ones go.
TEST_F(GrowingControllers, KeepWhatIsYoung) {
  Proposal useless = proposal();
  useless.improved = false;
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i) {
      useless.first_new = useless.new_node = controller_.num_nodes();
      useless.edges = {useless.new_node + 1, kHere, useless.new_node + 1, kHere};
      take_over(useless);
    }
  };
  add(60);
  controller_.end_round(0, 2);
  add(10);
  controller_.end_round(1, 2);
  controller_.end_round(2, 2);
  EXPECT_EQ(controller_.num_nodes(), 5 + 20);
  controller_.end_round(3, 2);  // what is left is too little to be worth it
  EXPECT_EQ(controller_.num_nodes(), 5 + 20);
}

TEST_F(GrowingControllers, GoOnAfterSavingAndLoading) {
  take_over(proposal());
  controller_.end_round(0, 2);
  BytesSink sink;
  Saver saver(sink);
  saver(controller_);
  GrowingController loaded(2, candidates_);
  BytesSource source(sink.bytes);
  Loader loader(source);
  loader(loaded);
  EXPECT_EQ(source.left(), 0u);
  EXPECT_EQ(loaded.fsc(), controller_.fsc());
  EXPECT_EQ(loaded.live(), controller_.live());
}

}  // namespace
}  // namespace penumbra::controller

#include "penumbra/runs/run_state.h"

#include <gtest/gtest.h>

#include "penumbra/runs/run_folder.h"

namespace penumbra {
namespace {

SolveProgress scored(uint64_t backups, double mean, uint64_t episodes = 100) {
  SolveProgress p;
  p.backups = backups;
  p.simulated = {mean, 1, mean - 2, mean + 2, episodes};
  return p;
}

}  // namespace

TEST(RunState, AcceptsWhatIsBetterOnAsManyEpisodes) {
  RunState state;
  for (const SolveProgress& p :
       {scored(1, 5), scored(2, 7), scored(3, 6), scored(4, 9, 50), scored(5, 7)})
    state.add(p);
  EXPECT_EQ(state.accepted()->line.backups, 2u);
  EXPECT_EQ(state.accepted()->gain, 2);
  EXPECT_EQ(state.accepted()->tries_since, 3);
}

TEST(RunState, WhatAResumedRunDoesAgainCountsOnce) {
  RunState state;
  for (const SolveProgress& p : {scored(10, 5), scored(20, 7), scored(30, 9)}) state.add(p);
  state.read({{"event", "resume"}});
  EXPECT_EQ(state.phase, RunPhase::kSettingUp);
  state.add(scored(15, 6));
  EXPECT_EQ(state.lines().size(), 2u);
  EXPECT_EQ(state.accepted()->line.backups, 15u);
}

TEST(RunState, ReadsTheLinesOfALog) {
  RunState state;
  state.read({{"event", "start"}, {"domain", "tiger"}, {"solver", "nvi"}});
  Json line = progress_json(scored(10, 5));
  line["event"] = "progress";
  state.read(line);
  EXPECT_EQ(state.phase, RunPhase::kSolving);
  state.read({{"event", "checkpoint"}});
  state.read({{"event", "scoring"}, {"seconds", 3.5}});
  EXPECT_EQ(state.phase, RunPhase::kScoring);
  state.read({{"event", "end"}, {"status", "time"}, {"score", {{"mean", 4.5}, {"episodes", 9}}}});
  EXPECT_EQ(state.phase, RunPhase::kEnded);
  EXPECT_EQ(state.score->mean, 4.5);
  EXPECT_EQ(state.score->count, 9u);
  EXPECT_EQ(state.seconds, 3.5);
}

TEST(RunState, AReportIsTheSameAfterTheLog) {
  SolveProgress p = scored(12, 3.25);
  p.nodes = 4;
  p.lower = 1.5;
  p.lower_proven = true;
  p.upper = {8, UpperKind::kSampled};
  const SolveProgress back = read_progress(progress_json(p));
  EXPECT_EQ(back.simulated.mean, 3.25);
  EXPECT_EQ(back.simulated.count, 100u);
  EXPECT_EQ(back.nodes, 4);
  EXPECT_EQ(back.lower, 1.5);
  EXPECT_TRUE(back.lower_proven);
  EXPECT_EQ(back.upper.kind, UpperKind::kSampled);
  EXPECT_LT(back.training_error, 0);
}

TEST(RunState, LimitsAreThoseOfTheConfiguration) {
  const Limits limits = limits_of({{"domain", "tiger"}, {"time", "2m"}, {"backups", "1e5"}});
  EXPECT_EQ(limits.seconds, 120);
  EXPECT_EQ(limits.backups, 100'000u);
}

}  // namespace penumbra

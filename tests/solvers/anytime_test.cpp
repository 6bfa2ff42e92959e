#include "penumbra/solvers/anytime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "tests/conformance/solver_kit.h"

namespace penumbra {
namespace {

using testing::ElementsAre;

// Rounds that only count, and write down what they were asked to do.
class Counting final : public Rounds {
 public:
  void start() override { events.push_back("start"); }
  bool round(const Stop& stop) override {
    events.push_back("round");
    for (int i = 0; i < per_round; ++i) {
      if (within) within();
      if (stop()) return false;
      ++count;
    }
    return true;
  }
  void keep_stopped_round() override {
    events.push_back("keep");
    if (keep) keep();
  }
  uint64_t backups() const override { return count; }
  Standing standing() const override {
    Standing s = stand;
    s.judge = judge && judge(count);
    return s;
  }
  void evaluate(SolveProgress& line, const Stop&) override {
    events.push_back("evaluate");
    evaluated.push_back(count);
    if (on_evaluate) on_evaluate();
    line.estimate = static_cast<double>(count);
  }
  const Work& work() const override { return work_; }
  void finish(Solution& s) override {
    events.push_back("finish");
    s.estimate = static_cast<double>(count);
  }
  void archive(Saver& saver) override {
    events.push_back("save");
    saver(count);
  }
  void archive(Loader& loader) override {
    events.push_back("load");
    loader(count);
  }

  int per_round = 1;
  Standing stand{};
  std::function<void()> within, keep, on_evaluate;
  std::function<bool(uint64_t)> judge;
  uint64_t count = 0;
  std::vector<uint64_t> evaluated;
  std::vector<std::string> events;

 private:
  Work work_;
};

// Checkpoints only where the frame makes them by itself: at the end.
class AtTheEnd final : public Checkpoints {
 public:
  bool due() override { return false; }
  void save(const std::function<void(Saver&)>& write) override { memory_.save(write); }
  bool resume(const std::function<void(Loader&)>& read) override { return memory_.resume(read); }

 private:
  MemoryCheckpoints memory_;
};

const Solver::Report kSilent;

Solution run(Counting& rounds, const Limits& limits, const AnytimeOptions& options = {},
             const Solver::Report& report = kSilent) {
  ThreadPool pool(1);
  Anytime frame(limits, report, pool, options);
  return frame.run(rounds);
}

TEST(Anytime, EvaluatesAtTheStartThenAtTheFirstAndAsBackupsGrow) {
  Counting rounds;
  const Solution s = run(rounds, work(20), {.first = 4, .growth = 1.5});
  EXPECT_THAT(rounds.evaluated, ElementsAre(0, 4, 6, 9, 13, 19, 20));
  EXPECT_EQ(s.status, "backups");
  EXPECT_EQ(s.backups, 20);
}

TEST(Anytime, EvaluatesByAnotherGrowthAtFirst) {
  Counting rounds;
  run(rounds, work(20), {.first = 1, .growth = 1.5, .early = 8, .early_growth = 2});
  EXPECT_THAT(rounds.evaluated, ElementsAre(0, 1, 2, 4, 8, 12, 18, 20));
}

TEST(Anytime, DoesNotEvaluateAtTheStartWhereThatIsNotWanted) {
  Counting rounds;
  run(rounds, work(7), {.first = 4, .growth = 1.5, .at_start = false});
  EXPECT_THAT(rounds.evaluated, ElementsAre(4, 6, 7));
}

TEST(Anytime, EvaluatesOnceWhereRoundsAskForIt) {
  Counting rounds;
  rounds.judge = [](uint64_t count) { return count == 3 || count == 5; };
  run(rounds, work(8), {.first = 100});
  EXPECT_THAT(rounds.evaluated, ElementsAre(0, 3, 5, 8));
}

// An evaluation that closes the gap is the last one; at a limit of work there is one more.
TEST(Anytime, EvaluatesAtTheEndOnlyWhatHasChanged) {
  Counting rounds;
  rounds.on_evaluate = [&] { rounds.stand.gap = rounds.count < 6 ? 9 : 0.5; };
  Limits limits = work(100);
  limits.gap = 1;
  EXPECT_EQ(run(rounds, limits, {.first = 6}).status, "gap");
  EXPECT_THAT(rounds.evaluated, ElementsAre(0, 6));
}

TEST(Anytime, WritesLinesByTheClock) {
  Counting rounds;
  const Limits limits = work(300);
  ThreadPool pool(1);
  Anytime frame(limits, kSilent, pool, {.by_clock = true});
  std::vector<double> at;
  rounds.within = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  rounds.on_evaluate = [&] { at.push_back(frame.seconds()); };
  frame.run(rounds);
  ASSERT_GE(at.size(), 3u);
  EXPECT_GE(at.front(), 0.05);
  for (size_t i = 1; i + 1 < at.size(); ++i) EXPECT_GE(at[i], 1.25 * at[i - 1]);
  EXPECT_EQ(rounds.evaluated.back(), 300);  // the end has a line whatever the clock says
}

TEST(Anytime, ALineSaysWhatTheRoundsSay) {
  Counting rounds;
  rounds.stand.nodes = 7;
  std::vector<SolveProgress> lines;
  run(rounds, work(2), {.first = 100}, [&](const SolveProgress& line) { lines.push_back(line); });
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[1].backups, 2);
  EXPECT_EQ(lines[1].nodes, 7);
  EXPECT_EQ(lines[1].estimate, 2);
  EXPECT_GE(lines[1].seconds, lines[0].seconds);
  EXPECT_GT(lines[1].memory, 0);
}

// All limits are reached at once; one after the other is taken away.
TEST(Anytime, LimitsAreNamedInAFixedOrder) {
  Counting rounds;
  rounds.count = 10;
  rounds.stand = {.nodes = 10, .gap = 0.1, .converged = true};
  Limits limits{.seconds = 1e-9, .backups = 1, .nodes = 1, .gap = 1, .memory = 1};
  limits.cancelled = [] { return true; };
  EXPECT_EQ(run(rounds, limits).status, "gap");
  limits.gap = 0;
  EXPECT_EQ(run(rounds, limits).status, "cancelled");
  limits.cancelled = nullptr;
  EXPECT_EQ(run(rounds, limits).status, "converged");
  rounds.stand.converged = false;
  EXPECT_EQ(run(rounds, limits).status, "backups");
  limits.backups = 0;
  EXPECT_EQ(run(rounds, limits).status, "nodes");
  limits.nodes = 0;
  EXPECT_EQ(run(rounds, limits).status, "time");
  limits.seconds = 0;
  EXPECT_EQ(run(rounds, limits).status, "memory");
  EXPECT_THAT(rounds.events, testing::Not(testing::Contains("round")));
}

TEST(Anytime, AShareOfTheMemoryEndsIt) {
  Counting rounds;
  const Limits limits{.seconds = 0, .memory = 1e18};
  EXPECT_EQ(run(rounds, limits, {.memory_share = 1e-15}).status, "memory");
}

TEST(Anytime, EndsWithinARoundOnlyWhereThatIsWanted) {
  for (const bool within : {false, true}) {
    Counting rounds;
    rounds.per_round = 10;
    const Solution s = run(rounds, work(5), {.stop_within_rounds = within});
    EXPECT_EQ(s.status, "backups");
    EXPECT_EQ(s.backups, within ? 5 : 10);
  }
}

TEST(Anytime, EndsWithinARoundWhenTheMemoryIsFull) {
  Counting rounds;
  rounds.per_round = 1000;
  Limits limits = work(0);
  rounds.within = [&] { limits.memory = rounds.count >= 100 ? 1 : 0; };
  rounds.keep = [&] { limits.memory = 0; };  // it was full then and is not now
  const Solution s = run(rounds, limits, {.stop_within_rounds = true});
  EXPECT_EQ(s.status, "memory");
  EXPECT_LE(s.backups, 100 + 16);
}

TEST(Anytime, ARoundUnderWayMayGoOnForTheSlack) {
  for (const double slack : {0.0, 1000.0}) {
    Counting rounds;
    rounds.per_round = 20;
    rounds.within = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
    const Limits limits{.seconds = 0.005};
    const Solution s = run(rounds, limits, {.slack = slack});
    EXPECT_EQ(s.status, "time");
    EXPECT_EQ(s.backups == 20, slack > 0);
  }
}

TEST(Anytime, ACheckpointComesBeforeWhatIsOnlyDoneAtTheEnd) {
  Counting rounds;
  rounds.per_round = 10;
  AtTheEnd checkpoints;
  Limits limits = work(15);
  limits.checkpoints = &checkpoints;
  run(rounds, limits, {.first = 100, .stop_within_rounds = true});
  EXPECT_THAT(rounds.events, ElementsAre("start", "evaluate", "round", "round", "save", "keep",
                                         "evaluate", "finish"));
}

TEST(Anytime, SavesOnceHalfWayWhereNoCheckpointIsDue) {
  Counting rounds;
  AtTheEnd checkpoints;
  rounds.within = [] { std::this_thread::sleep_for(std::chrono::milliseconds(600)); };
  const Limits limits{.seconds = 1, .checkpoints = &checkpoints};
  run(rounds, limits, {.at_start = false, .slack = 1000});
  EXPECT_EQ(std::count(rounds.events.begin(), rounds.events.end(), "save"), 2);
  EXPECT_EQ(rounds.events[2], "save");  // after start and one round
}

TEST(Anytime, KeepsTimeForTheLastCheckpoint) {
  class Slow final : public Checkpoints {
   public:
    bool due() override { return !std::exchange(asked_, true); }
    void save(const std::function<void(Saver&)>& write) override {
      memory_.save(write);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    bool resume(const std::function<void(Loader&)>&) override { return false; }

   private:
    bool asked_ = false;
    MemoryCheckpoints memory_;
  } checkpoints;
  Counting rounds;
  const Limits limits{.seconds = 1, .checkpoints = &checkpoints};
  ThreadPool pool(1);
  Anytime frame(limits, kSilent, pool, {.at_start = false, .slack = 0, .slack_share = 0});
  std::vector<double> begun;
  rounds.within = [&] {
    begun.push_back(rounds.count > 0 ? frame.seconds() : 0);  // the first knows no checkpoint yet
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  frame.run(rounds);
  begun.resize(rounds.count);  // without the one that was stopped
  ASSERT_FALSE(begun.empty());
  EXPECT_LT(begun.back(), 0.9);  // a tenth is the most that is kept
}

TEST(Anytime, ASavedRunGoesOnWithItsEvaluations) {
  Counting whole;
  const AnytimeOptions options{.first = 4, .growth = 1.5};
  run(whole, work(30), options);
  MemoryCheckpoints checkpoints;
  Counting before, after;
  Limits limits = work(11);
  limits.checkpoints = &checkpoints;
  run(before, limits, options);
  limits.backups = 30;
  run(after, limits, options);
  EXPECT_EQ(after.events.front(), "load");
  EXPECT_EQ(before.evaluated.back(), 11);  // of the end: a whole run does not have it
  before.evaluated.pop_back();
  before.evaluated.insert(before.evaluated.end(), after.evaluated.begin(), after.evaluated.end());
  EXPECT_EQ(before.evaluated, whole.evaluated);
}

TEST(Anytime, ASavedRunThatIsAtItsLimitIsNotEvaluatedAgain) {
  Counting first, again;
  MemoryCheckpoints checkpoints;
  Limits limits = work(100);
  limits.gap = 1;
  limits.checkpoints = &checkpoints;
  for (Counting* r : {&first, &again}) {
    r->on_evaluate = [r] { r->stand.gap = r->count < 6 ? 9 : 0.5; };
    if (r == &again) r->stand.gap = 0.5;  // what an archive would have kept
    run(*r, limits, {.first = 6});
  }
  EXPECT_THAT(again.events, ElementsAre("load", "save", "finish"));
}

TEST(Anytime, SecondsCountFromTheBeginningOfTheRun) {
  Counting first, second;
  MemoryCheckpoints checkpoints;
  Limits limits = work(10);
  limits.checkpoints = &checkpoints;
  first.within = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  run(first, limits);
  limits.backups = 1000;
  limits.seconds = 0.015;  // used up before
  const Solution s = run(second, limits);
  EXPECT_EQ(s.status, "time");
  EXPECT_EQ(s.backups, 10);
  EXPECT_GE(s.seconds, 0.02);
}

TEST(Anytime, IsCancelledFromSeveralThreads) {
  ThreadPool pool(4);
  std::atomic<int> asked = 0, stopped = 0;
  Limits limits = work(0);
  limits.cancelled = [&] { return ++asked > 200; };
  Anytime frame(limits, kSilent, pool, {.stop_within_rounds = true});
  Counting rounds;
  rounds.within = [&] {
    pool.for_chunks(1000, 1, [&](size_t, size_t, size_t) { stopped += frame.stop()(); });
  };
  EXPECT_EQ(frame.run(rounds).status, "cancelled");
  EXPECT_GE(stopped, 700);
}

// The stop that a round is given, which looks at backups and memory too.
class Asking final : public Rounds {
 public:
  void start() override {}
  bool round(const Stop& stop) override {
    std::atomic<bool> stopped = false;
    pool.for_chunks(1000, 1, [&](size_t, size_t, size_t) {
      if (stop()) stopped = true;
      ++count;
    });
    return !stopped;
  }
  uint64_t backups() const override { return count; }
  Standing standing() const override { return {}; }
  void evaluate(SolveProgress&, const Stop&) override {}
  const Work& work() const override { return work_; }
  void finish(Solution&) override {}
  void archive(Saver&) override {}
  void archive(Loader&) override {}

  ThreadPool pool{4};
  std::atomic<uint64_t> count = 0;
  Work work_;
};

TEST(Anytime, ARoundMayAskFromSeveralThreads) {
  Asking rounds;
  Limits limits = work(2500);
  limits.memory = 1e18;
  Anytime frame(limits, kSilent, rounds.pool, {.stop_within_rounds = true});
  EXPECT_EQ(frame.run(rounds).status, "backups");
  EXPECT_EQ(rounds.count, 3000);
}

}  // namespace
}  // namespace penumbra

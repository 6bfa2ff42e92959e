#include "penumbra/base/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <barrier>
#include <numeric>
#include <stdexcept>

#include "penumbra/base/rng.h"

namespace penumbra {
namespace {

TEST(ThreadPool, VisitsEveryItemOnceInFixedChunks) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    std::vector<std::pair<size_t, size_t>> ranges(ThreadPool::num_chunks(103, 10));
    pool.for_chunks(103, 10, [&](size_t c, size_t begin, size_t end) { ranges[c] = {begin, end}; });
    for (size_t c = 0; c < ranges.size(); ++c)
      EXPECT_EQ(ranges[c], std::pair(c * 10, std::min<size_t>(103, c * 10 + 10)));
  }
}

TEST(ThreadPool, CountsTheCoresThatTheProcessMayUse) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(available_cores(), 1);
  EXPECT_EQ(ThreadPool(0).num_threads(), 1);
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_EQ(available_cores(), CPU_COUNT(&before));
}

// A sum whose value depends on the order of addition.
double chunked_sum(ThreadPool& pool) {
  std::vector<double> part(ThreadPool::num_chunks(100'000, 1000));
  pool.for_chunks(100'000, 1000, [&](size_t c, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) part[c] += 1 / Rng(RngKey::from_seed(1), i).uniform();
  });
  return std::accumulate(part.begin(), part.end(), 0.0);
}

TEST(ThreadPool, ReductionsAreBitIdenticalForAnyNumberOfThreads) {
  ThreadPool one(1);
  const double expected = chunked_sum(one);
  for (int threads : {2, 3, 8}) {
    ThreadPool pool(threads);
    for (int repeat = 0; repeat < 5; ++repeat) EXPECT_EQ(chunked_sum(pool), expected);
  }
}

TEST(ThreadPool, ThrowsTheExceptionOfTheLowestChunk) {
  for (int threads : {1, 2, 8}) {
    ThreadPool pool(threads);
    try {
      pool.for_chunks(100, 1, [](size_t c, size_t, size_t) {
        if (c >= 40) throw std::runtime_error(std::to_string(c));
      });
      FAIL();
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "40");
    }
  }
}

TEST(ThreadPool, WorksOnAfterAnException) {
  ThreadPool pool(3);
  EXPECT_ANY_THROW(pool.for_chunks(9, 1, [](size_t, size_t, size_t) { throw 1; }));
  std::atomic<int> count = 0;
  pool.for_chunks(9, 1, [&](size_t, size_t, size_t) { ++count; });
  EXPECT_EQ(count, 9);
}

TEST(ThreadPool, NestedCallsRunInsideTheirChunk) {
  ThreadPool pool(3);
  std::atomic<int> count = 0;
  pool.for_chunks(10, 1, [&](size_t, size_t, size_t) {
    pool.for_chunks(10, 3, [&](size_t, size_t begin, size_t end) { count += int(end - begin); });
  });
  EXPECT_EQ(count, 100);
}

// Two inner chunks that wait for each other: they only end if both are under way at once.
TEST(ThreadPool, ChunksMayHavePoolsOfTheirOwn) {
  ThreadPool outer(2);
  std::atomic<int> met = 0;
  outer.for_chunks(2, 1, [&](size_t, size_t, size_t) {
    ThreadPool inner(2);
    std::barrier both(2);
    inner.for_chunks(2, 1, [&](size_t, size_t, size_t) {
      both.arrive_and_wait();
      // Back in a pool that is at work.
      outer.for_chunks(3, 1, [&](size_t, size_t, size_t) { ++met; });
    });
  });
  EXPECT_EQ(met, 12);
}

TEST(ThreadPool, ManySmallJobsInARow) {
  ThreadPool pool(4);
  std::atomic<int> count = 0;
  for (int job = 0; job < 2000; ++job)
    pool.for_chunks(5, 1, [&](size_t, size_t, size_t) { ++count; });
  EXPECT_EQ(count, 10'000);
}

TEST(ThreadPool, NoWorkAndAGrainOfZero) {
  ThreadPool pool(2);
  pool.for_chunks(0, 10, [](size_t, size_t, size_t) { FAIL(); });
  std::atomic<int> count = 0;
  pool.for_chunks(5, 0, [&](size_t, size_t, size_t) { ++count; });
  EXPECT_EQ(count, 5);
}

TEST(ThreadPool, CountsTheCallingThread) {
  EXPECT_EQ(ThreadPool(3).num_threads(), 3);
  EXPECT_GE(ThreadPool(0).num_threads(), 1);
}

}  // namespace
}  // namespace penumbra

#include "penumbra/evaluate/score.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>

#include "penumbra/base/error.h"
#include "penumbra/base/share_out.h"
#include "penumbra/evaluate/episode_blocks.h"
#include "penumbra/evaluate/simulate.h"

namespace penumbra {
namespace {

constexpr uint64_t kRoundBatches = 64;
constexpr uint64_t kMostBlocks = 1000;
constexpr double kDefaultBias = 1e-3;
constexpr int kLongEpisode = 20'000, kMostSteps = 1'000'000;
constexpr double kMostWork = 2e7;  // steps of all episodes

using Clock = std::chrono::steady_clock;

// Episodes over which sums are formed. A policy that remembers much takes long for a step, and
// episodes may be very long; a score that is cancelled should not wait for many.
uint64_t block_for(const Policy& policy, int max_steps) {
  const uint64_t most = max_steps > kLongEpisode ? 16 : 1024;
  return policy.memory_size() <= 256 ? most : policy.memory_size() <= 32'768 ? most / 16 : 1;
}

// Episodes in lockstep: their records stay in the cache. Whole blocks, more than one where a call
// of the model costs much.
uint64_t batch_for(const Pomdp& model, uint64_t block) {
  return block < 1024 ? block : block * std::max<uint64_t>(1, model.lanes_per_call() / block);
}

// The rounds of a score: how many episodes each has. With a team rank 0 decides, by its clock.
class RoundPlan {
 public:
  RoundPlan(const EvaluateOptions& o, uint64_t batch, ThreadPool& pool)
      : o_(o), team_(pool.team()), shared_(!ThreadPool::within_chunk()) {
    // Where it may be stopped rounds are short until they prove fast; sums do not depend on them.
    const auto workers = static_cast<uint64_t>(pool.num_threads() * (shared_ ? team_.size() : 1));
    longest_ = kRoundBatches * std::max<uint64_t>(1, workers / kRoundBatches) * batch;
    next_ = o.cancelled ? std::min(longest_, workers * batch) : longest_;
    agree();
  }
  // 0: that is all.
  uint64_t episodes() const { return next_; }
  void after(uint64_t done, Clock::duration took) {
    if (o_.cancelled && o_.cancelled()) {
      next_ = 0;
    } else {
      if (took < std::chrono::milliseconds(50)) next_ = std::min(2 * next_, longest_);
      next_ = std::min(next_, o_.episodes - done);
    }
    agree();
  }

 private:
  void agree() {
    next_ = std::min(next_, o_.episodes);
    if (shared_) team_.send_to_all(next_);
  }

  const EvaluateOptions& o_;
  Team& team_;
  const bool shared_;
  uint64_t longest_, next_;
};

// Episodes that take long each, handed out one by one until it is time to stop: no thread waits for
// the longest episode of a round. As many as there are threads are played whatever the time, and
// what was begun is played to its end and counts: without that short ones would be favoured. Those
// under way at the end still tend to be long ones; docs/simulation-standard.md says what that does.
class SingleEpisodes {
 public:
  SingleEpisodes(const EvaluateOptions& o, uint64_t unasked) : o_(o), unasked_(unasked) {}

  // play(episode) on any thread, until there are no more.
  template <class Play>
  void work_off(const Play& play) {
    for (bool more = true; more;) {
      uint64_t mine = o_.episodes;  // what cancelled() throws comes after all episodes
      try {
        if ((more = begin(mine))) {
          play(mine);
          end();
        }
      } catch (...) {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        if (!error_ || mine < failed_) {
          error_ = std::current_exception();
          failed_ = mine;
        }
      }
    }
  }
  // What the first of the episodes has thrown, whichever thread was first.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  bool begin(uint64_t& episode) {
    const std::lock_guard lock(mutex_);
    if (begun_ == o_.episodes) return false;
    if (begun_ >= unasked_ && !stopped_) stopped_ = o_.cancelled();
    if (stopped_) return false;
    episode = begun_++;
    return true;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (o_.progress && std::this_thread::get_id() == caller_) o_.progress(done_);
  }

  const EvaluateOptions& o_;
  const uint64_t unasked_;
  const std::thread::id caller_ = std::this_thread::get_id();
  std::mutex mutex_;
  uint64_t begun_ = 0, done_ = 0, failed_ = 0;
  bool stopped_ = false;
  std::exception_ptr error_;
};

template <class T, class Make, class Take>
void for_single_episodes(const EvaluateOptions& o, int max_steps, ThreadPool& pool,
                         const Make& make, const Take& take) {
  const RngKey key = RngKey::from_seed(o.seed).fold("evaluate");
  const auto threads = static_cast<size_t>(pool.num_threads());
  SingleEpisodes episodes(o, threads);
  std::mutex keeping;
  std::map<uint64_t, T> made;
  pool.for_chunks(threads, 1, [&](size_t, size_t, size_t) {
    episodes.work_off([&](uint64_t episode) {
      T own = make(EpisodeBatch{key, episode, 1, max_steps});
      const std::lock_guard lock(keeping);
      made.emplace(episode, std::move(own));
    });
  });
  episodes.rethrow();
  for (const auto& [episode, each] : made) take(each);
  if (o.progress) o.progress(made.size());
}

// All episodes, round by round: make(batch) gives a T, and take(T) gets these in order.
template <class T, class Make, class Take>
void for_batches(const EvaluateOptions& o, int max_steps, uint64_t batch, ThreadPool& pool,
                 const Make& make, const Take& take) {
  if (batch == 1 && o.cancelled && (pool.team().size() == 1 || ThreadPool::within_chunk()))
    return for_single_episodes<T>(o, max_steps, pool, make, take);
  const RngKey key = RngKey::from_seed(o.seed).fold("evaluate");
  RoundPlan plan(o, batch, pool);
  for (uint64_t begin = 0; const uint64_t count = plan.episodes();) {
    const auto start = Clock::now();
    const std::vector<T> made =
        share_out<T>(pool, ThreadPool::num_chunks(count, batch), [&](size_t i) {
          const uint64_t from = i * batch, to = std::min(count, from + batch);
          return make(EpisodeBatch{key, begin + from, to - from, max_steps});
        });
    for (const T& each : made) take(each);
    begin += count;
    if (o.progress) o.progress(begin);
    plan.after(begin, Clock::now() - start);
  }
}

int choose_max_steps(const Pomdp& model, const EvaluateOptions& o) {
  if (o.episodes == 0) throw Error("a score needs at least one episode");
  if (o.max_steps < 0) throw Error("max-steps must not be negative");
  if (o.max_steps > 0) return o.max_steps;
  // With a discount very close to 1 longer where that is affordable; truncation_bound tells whether
  // it is still too short.
  int steps = horizon_for(model.facts(), kDefaultBias);
  while (steps >= kLongEpisode && steps < kMostSteps &&
         double(steps) * double(o.episodes) < kMostWork &&
         tail_bound(model.facts(), steps) > kDefaultBias)
    steps = std::min(kMostSteps, steps + steps / 4);
  return steps;
}

// Of one batch of episodes.
struct Tally {
  std::vector<Moments> moments, undiscounted;  // of each block
  EpisodeTotals totals;
  std::vector<double> returns;  // of each episode, where they are asked for
  double seconds = 0;

  template <class Archive>
  void archive(Archive& a) {
    a(moments, undiscounted, totals.steps, totals.truncated, returns, seconds);
  }
};

// Of one batch that two policies have met.
struct TallyOfTwo {
  Tally each[2];
  std::vector<Moments> difference;

  template <class Archive>
  void archive(Archive& a) {
    a(each, difference);
  }
};

// The sums of each block of values.
std::vector<Moments> block_moments(std::span<const double> values, uint64_t block) {
  std::vector<Moments> all((values.size() + block - 1) / block);
  for (size_t i = 0; i < values.size(); ++i) all[i / block].add(values[i]);
  return all;
}

void add_blocks(Moments& sum, const std::vector<Moments>& blocks) {
  for (const Moments& block : blocks) sum.add(block);
}

void finish(Score& score, const Moments& moments, const Moments& undiscounted, const Facts& facts,
            int max_steps, Clock::time_point start) {
  static_cast<Estimate&>(score) = moments.estimate();
  score.undiscounted = undiscounted.estimate();
  score.max_steps = max_steps;
  score.truncation_bound = static_cast<double>(score.truncated) /
                           static_cast<double>(std::max<uint64_t>(score.count, 1)) *
                           tail_bound(facts, max_steps);
  score.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

// Takes returns in the order of their episodes.
class BlockMeans {
 public:
  BlockMeans(EpisodeBlocks& out, const EvaluateOptions& o) : out_(out) {
    out_ = {o.seed, (o.episodes + kMostBlocks - 1) / kMostBlocks, {}};
  }
  void add(double value) {
    sum_ += value;
    if (++count_ < out_.block) return;
    out_.means.push_back(sum_ / static_cast<double>(count_));
    sum_ = 0;
    count_ = 0;
  }

 private:
  EpisodeBlocks& out_;
  double sum_ = 0;
  uint64_t count_ = 0;
};

Score evaluate_policy(const Pomdp& model, const Policy& policy, const EvaluateOptions& o,
                      ThreadPool& pool, BlockMeans* blocks) {
  const auto start = Clock::now();
  const int max_steps = choose_max_steps(model, o);
  Score score;
  Moments all, undiscounted;
  const uint64_t block = block_for(policy, max_steps);
  for_batches<Tally>(
      o, max_steps, batch_for(model, block), pool,
      [&](const EpisodeBatch& batch) {
        Tally tally;
        std::vector<double> returns(batch.count), sums(batch.count);
        const auto began = Clock::now();
        tally.totals = simulate(model, policy, batch, returns, sums);
        tally.seconds = std::chrono::duration<double>(Clock::now() - began).count();
        tally.moments = block_moments(returns, block);
        tally.undiscounted = block_moments(sums, block);
        if (blocks) tally.returns = std::move(returns);
        return tally;
      },
      [&](const Tally& tally) {
        if (blocks)
          for (double r : tally.returns) blocks->add(r);
        add_blocks(all, tally.moments);
        add_blocks(undiscounted, tally.undiscounted);
        score.steps += tally.totals.steps;
        score.truncated += tally.totals.truncated;
        score.played_seconds += tally.seconds;
      });
  finish(score, all, undiscounted, model.facts(), max_steps, start);
  return score;
}

}  // namespace

Score evaluate(const Pomdp& model, const Policy& policy, const EvaluateOptions& o,
               ThreadPool& pool) {
  return evaluate_policy(model, policy, o, pool, nullptr);
}

Score evaluate(const Pomdp& model, const Policy& policy, const EvaluateOptions& o, ThreadPool& pool,
               EpisodeBlocks& blocks) {
  BlockMeans means(blocks, o);
  return evaluate_policy(model, policy, o, pool, &means);
}

Comparison compare(const Pomdp& model, const Policy& a, const Policy& b, const EvaluateOptions& o,
                   ThreadPool& pool) {
  const auto start = Clock::now();
  const int max_steps = choose_max_steps(model, o);
  Comparison result;
  Score* scores[2] = {&result.a, &result.b};
  const Policy* policies[2] = {&a, &b};
  Moments sums[2], undiscounted[2], difference;
  const uint64_t block = std::min(block_for(a, max_steps), block_for(b, max_steps));
  for_batches<TallyOfTwo>(
      o, max_steps, batch_for(model, block), pool,
      [&](const EpisodeBatch& batch) {
        TallyOfTwo tally;
        std::vector<double> returns[2], plain(batch.count);
        for (int p = 0; p < 2; ++p) {
          returns[p].resize(batch.count);
          tally.each[p].totals = simulate(model, *policies[p], batch, returns[p], plain);
          tally.each[p].moments = block_moments(returns[p], block);
          tally.each[p].undiscounted = block_moments(plain, block);
        }
        for (size_t i = 0; i < batch.count; ++i) plain[i] = returns[0][i] - returns[1][i];
        tally.difference = block_moments(plain, block);
        return tally;
      },
      [&](const TallyOfTwo& tally) {
        add_blocks(difference, tally.difference);
        for (int p = 0; p < 2; ++p) {
          add_blocks(sums[p], tally.each[p].moments);
          add_blocks(undiscounted[p], tally.each[p].undiscounted);
          scores[p]->steps += tally.each[p].totals.steps;
          scores[p]->truncated += tally.each[p].totals.truncated;
        }
      });
  for (int p = 0; p < 2; ++p)
    finish(*scores[p], sums[p], undiscounted[p], model.facts(), max_steps, start);
  result.difference = difference.estimate();
  return result;
}

}  // namespace penumbra

#include "penumbra/evaluate/score.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/evaluate/episode_blocks.h"
#include "penumbra/evaluate/simulate.h"

namespace penumbra {
namespace {

constexpr uint64_t kRoundBatches = 64;
constexpr uint64_t kMostBlocks = 1000;
constexpr double kDefaultBias = 1e-3;

using Clock = std::chrono::steady_clock;

// Episodes in lockstep: their records stay in the cache. A policy that remembers much takes long
// for a step, and a score that is cancelled should not wait for many.
uint64_t batch_for(const Policy& policy) {
  return policy.memory_size() <= 256 ? 1024 : policy.memory_size() <= 32'768 ? 64 : 1;
}

// Calls body(batch index within the round, batch) for all episodes, round by round.
template <class Body, class AfterRound>
void for_batches(const EvaluateOptions& o, int max_steps, uint64_t batch, ThreadPool& pool,
                 const Body& body, const AfterRound& after_round) {
  const RngKey key = RngKey::from_seed(o.seed).fold("evaluate");
  // Where it may be stopped rounds are short until they prove fast; sums do not depend on them.
  const auto threads = static_cast<uint64_t>(pool.num_threads());
  const uint64_t longest = kRoundBatches * batch;
  uint64_t round = o.cancelled ? std::min(longest, threads * batch) : longest;
  for (uint64_t begin = 0, count; begin < o.episodes; begin += count) {
    const auto start = Clock::now();
    count = std::min(round, o.episodes - begin);
    pool.for_chunks(count, batch, [&](size_t chunk, size_t from, size_t to) {
      body(chunk, EpisodeBatch{key, begin + from, to - from, max_steps});
    });
    after_round(ThreadPool::num_chunks(count, batch));
    if (o.progress) o.progress(begin + count);
    if (o.cancelled && o.cancelled()) return;
    if (Clock::now() - start < std::chrono::milliseconds(50)) round = std::min(2 * round, longest);
  }
}

int choose_max_steps(const Pomdp& model, const EvaluateOptions& o) {
  if (o.episodes == 0) throw Error("a score needs at least one episode");
  if (o.max_steps < 0) throw Error("max-steps must not be negative");
  return o.max_steps > 0 ? o.max_steps : horizon_for(model.facts(), kDefaultBias);
}

struct Tally {
  Moments moments;
  EpisodeTotals totals;
};

void finish(Score& score, const Moments& moments, const Facts& facts, int max_steps,
            Clock::time_point start) {
  static_cast<Estimate&>(score) = moments.estimate();
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
  Moments all;
  std::vector<Tally> tally(kRoundBatches);
  std::vector<std::vector<double>> returns(kRoundBatches);
  for_batches(
      o, max_steps, batch_for(policy), pool,
      [&](size_t chunk, const EpisodeBatch& batch) {
        returns[chunk].resize(batch.count);
        tally[chunk] = {};
        tally[chunk].totals = simulate(model, policy, batch, returns[chunk]);
        for (double r : returns[chunk]) tally[chunk].moments.add(r);
      },
      [&](size_t chunks) {
        for (size_t c = 0; c < chunks; ++c) {
          if (blocks)
            for (double r : returns[c]) blocks->add(r);
          all.add(tally[c].moments);
          score.steps += tally[c].totals.steps;
          score.truncated += tally[c].totals.truncated;
        }
      });
  finish(score, all, model.facts(), max_steps, start);
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
  Moments sums[2], difference;
  struct Pair {
    Tally each[2];
    Moments difference;
  };
  std::vector<Pair> pairs(kRoundBatches);
  for_batches(
      o, max_steps, std::min(batch_for(a), batch_for(b)), pool,
      [&](size_t chunk, const EpisodeBatch& batch) {
        std::vector<double> returns[2];
        pairs[chunk] = {};
        for (int p = 0; p < 2; ++p) {
          returns[p].resize(batch.count);
          pairs[chunk].each[p].totals = simulate(model, *policies[p], batch, returns[p]);
          for (double r : returns[p]) pairs[chunk].each[p].moments.add(r);
        }
        for (size_t i = 0; i < batch.count; ++i)
          pairs[chunk].difference.add(returns[0][i] - returns[1][i]);
      },
      [&](size_t chunks) {
        for (size_t c = 0; c < chunks; ++c) {
          difference.add(pairs[c].difference);
          for (int p = 0; p < 2; ++p) {
            sums[p].add(pairs[c].each[p].moments);
            scores[p]->steps += pairs[c].each[p].totals.steps;
            scores[p]->truncated += pairs[c].each[p].totals.truncated;
          }
        }
      });
  for (int p = 0; p < 2; ++p) finish(*scores[p], sums[p], model.facts(), max_steps, start);
  result.difference = difference.estimate();
  return result;
}

}  // namespace penumbra

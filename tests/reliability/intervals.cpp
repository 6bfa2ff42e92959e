// Honest intervals: how often 95 % intervals hold the true value in independent replications. Of
// scores, also of those that are cut by time, of paired differences, and of the sampled upper
// bounds that solvers print, which must also stay above the optimum. The truth is computed exactly,
// except that of the bounds, whose mean over all replications stands for it.
//   reliability_intervals [REPLICATIONS = 1000]
// Prints how many of each hold; fails beyond 2.8 standard deviations of 95 %: 931 to 969 of 1000.
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "penumbra/bounds/mdp_value.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/seen_table.h"
#include "penumbra/policy/policy.h"
#include "penumbra/search/exact_search.h"
#include "penumbra/search/falling_upper.h"
#include "tests/policy/tiger_controllers.h"

namespace penumbra {
namespace {

bool holds(const Estimate& e, double truth) {
  return e.low <= truth && truth <= e.high;
}

// Tiger without its table, so that bounds are sampled; and so short-sighted that the trees come to
// their end: where they are cut their mean depends on where.
struct HiddenTiger : Tiger {
  HiddenTiger() { discount = 0.1; }
  Capabilities withheld() const { return Capability::kTable; }
};

double optimum(const Tiger& tiger) {
  search::ExactSearch exact(tiger.table(), {});
  while (exact.descend()) continue;
  return exact.upper();
}

struct Counts {
  int replications, most_off;
  bool failed = false;

  explicit Counts(int n)
      : replications(n),
        most_off(static_cast<int>(std::ceil(2.756 * std::sqrt(n * 0.05 * 0.95)))) {}
  void tell(const char* what, int held) {
    const int expected = replications * 95 / 100;
    const bool good = std::abs(held - expected) <= most_off;
    std::fflush(stdout);
    fmt::print("intervals: {} of {} hold: {}{}\n", held, replications, what,
               good ? ""
                    : fmt::format("; FAILED, {} to {} promised", expected - most_off,
                                  expected + most_off));
    failed = failed || !good;
  }
};

void count_scores(Counts& counts, const Pomdp& model, const Fsc& fsc, uint64_t episodes,
                  ThreadPool& pool) {
  const double truth = fsc_value(fsc, seen_table(model));
  const FscPolicy policy(fsc, model.facts());
  int held = 0;
  for (int i = 0; i < counts.replications; ++i)
    held += holds(evaluate(model, policy, {.episodes = episodes, .seed = 1000 + uint64_t(i)}, pool),
                  truth);
  counts.tell(fmt::format("scores of {} episodes on {}", episodes, model.facts().name).c_str(),
              held);
}

// Every step may be the last and pays as much: the longer an episode, the higher its return, which
// is the worst case for a score that is cut by time. The steps are its clock.
struct Lottery {
  struct State {
    int over;
  };
  using Observation = int;
  static constexpr double kDiscount = 0.95, kEnd = 0.1;
  static double value() { return 1 / (1 - kDiscount * (1 - kEnd)); }
  static inline std::atomic<uint64_t> steps = 0;

  Facts facts() const {
    return {.name = "lottery",
            .discount = kDiscount,
            .num_actions = 1,
            .num_observations = 1,
            .min_reward = 0,
            .max_reward = 1};
  }
  State sample_initial(Rng&) const { return {0}; }
  bool is_terminal(const State& s) const { return s.over != 0; }
  Outcome<State, int> step(const State&, int, Rng& rng) const {
    ++steps;
    return {{rng.bernoulli(kEnd) ? 1 : 0}, 0, 1.0f};
  }
};

// Remembers as much as a planner, so that episodes are handed out one by one.
class Heavy : public Policy {
 public:
  std::string describe() const override { return "heavy"; }
  size_t memory_size() const override { return 40'000; }
  void start(Streams, Records) const override {}
  void act(Records, Streams, Records action) const override {
    for (size_t i = 0; i < action.count; ++i) std::memset(action.at(i), 0, action.size);
  }
  void observe(Records, ConstRecords, ConstRecords, Streams) const override {}
};

void count_cut_scores(Counts& counts, int threads, uint64_t episodes) {
  const auto model = adapt(Lottery{});
  const Heavy policy;
  ThreadPool pool(threads);
  const auto enough = static_cast<uint64_t>(double(episodes) / Lottery::kEnd);
  int held = 0;
  for (int i = 0; i < counts.replications; ++i) {
    const uint64_t began = Lottery::steps;
    EvaluateOptions o;
    o.episodes = 1'000'000;
    o.seed = 13'000 + uint64_t(i);
    o.cancelled = [&] { return Lottery::steps - began >= enough; };
    held += holds(evaluate(*model, policy, o, pool), Lottery::value());
  }
  counts.tell(
      fmt::format("scores cut by time after about {} episodes, threads {}", episodes, threads)
          .c_str(),
      held);
}

void count_differences(Counts& counts, uint64_t episodes, ThreadPool& pool) {
  const auto model = adapt(Tiger{});
  const Fsc good = tiger_controller(), plain = always(Tiger::kListen);
  const double truth = fsc_value(good, Tiger{}.table()) - fsc_value(plain, Tiger{}.table());
  const FscPolicy a(good, model->facts()), b(plain, model->facts());
  int held = 0;
  for (int i = 0; i < counts.replications; ++i)
    held += holds(
        compare(*model, a, b, {.episodes = episodes, .seed = 5000 + uint64_t(i)}, pool).difference,
        truth);
  counts.tell(fmt::format("paired differences of {} episodes on tiger", episodes).c_str(), held);
}

void count_bounds(Counts& counts, ThreadPool& pool) {
  const auto model = adapt(HiddenTiger{});
  const double best = optimum(HiddenTiger{});
  const auto values = make_mdp_value(*model, {}, RngKey::from_seed(1), pool, {});
  std::vector<Estimate> found;
  int above = 0;
  double sum = 0;
  for (int i = 0; i < counts.replications; ++i) {
    const RngKey key = RngKey::from_seed(9000 + uint64_t(i));
    search::FallingUpper falling(*model, *values, upper_at_start(*model, *values, key), key);
    falling.spend(1e8, pool, {});
    found.push_back(falling.interval());
    above += falling.value().value >= best;
    sum += found.back().mean;
  }
  int held = 0;
  for (const Estimate& e : found) held += holds(e, sum / counts.replications);
  counts.tell("sampled upper bounds on tiger", held);
  const bool good = above >= counts.replications * 95 / 100;
  fmt::print(
      "intervals: {} of {} sampled upper bounds are no less than the optimum (mean {:.4f}, "
      "optimum {:.4f}){}\n",
      above, counts.replications, sum / counts.replications, best, good ? "" : "; FAILED");
  counts.failed = counts.failed || !good;
}

}  // namespace
}  // namespace penumbra

int main(int argc, char** argv) {
  using namespace penumbra;
  const int replications = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (replications < 20) {
    fmt::print(stderr, "at least 20 replications\n");
    return 1;
  }
  Counts counts(replications);
  ThreadPool pool(0);
  const auto tiger = adapt(Tiger{});
  count_scores(counts, *tiger, tiger_controller(), 200, pool);
  count_scores(counts, *tiger, always(Tiger::kOpenLeft), 30, pool);
  for (int threads : {1, 2}) count_cut_scores(counts, threads, 100);
  count_differences(counts, 200, pool);
  count_bounds(counts, pool);
  return counts.failed ? 1 : 0;
}

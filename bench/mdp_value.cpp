// How good a fitted MDP value is: seconds to make, the greedy policy with known state from b0
// against the domain's own value, and errors on states that good policies meet.
//   bench_mdp_value [domain ...]
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "domains/registry.h"
#include "penumbra/bounds/mdp_plan.h"
#include "penumbra/bounds/mdp_value.h"

using namespace penumbra;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Greedy {
  double mean = 0;
  RecordBuffer met;  // states on the way
};

// Follows argmax_a Q(s, a) from b0; `slip`: share of random actions.
Greedy run_greedy(const Pomdp& model, const MdpValue& values, int episodes, double slip,
                  RngKey key) {
  const int num_actions = model.facts().num_actions;
  Greedy result;
  result.met = RecordBuffer(model.state_size());
  RecordBuffer state(model.state_size(), episodes);
  model.sample_initial({key.fold("b0")}, state);
  std::vector<double> q(size_t(episodes) * num_actions);
  std::vector<char> unchanged(num_actions), over(episodes, 0);
  std::vector<int> action(episodes);
  StepBuffers buffers(model, episodes);
  const StepResults out = buffers.results(episodes);
  double factor = 1;
  for (int t = 0; t < 150; ++t, factor *= model.facts().discount) {
    mdp_q_values(model, values, state, key.fold("look").fold(t), q, unchanged);
    for (int i = 0; i < episodes; ++i) {
      if (!over[i]) result.met.push_back(state.at(i));
      Rng rng(key.fold("slip").fold(t), i);
      const auto first = q.begin() + size_t(i) * num_actions;
      action[i] = rng.bernoulli(slip) ? int(rng.below(num_actions))
                                      : int(std::max_element(first, first + num_actions) - first);
    }
    model.step(state, action, {key.fold("step").fold(t)}, out);
    for (int i = 0; i < episodes; ++i) {
      result.mean += factor * out.reward[i] / episodes;
      over[i] = over[i] || out.ended[i];
    }
    std::memcpy(state.at(0), out.next.data, size_t(episodes) * model.state_size());
  }
  return result;
}

// Follows the first half of each plan, then plans again.
void run_plans(const Pomdp& model, const MdpValue& values, int max_states, ThreadPool& pool,
               RngKey key, double reference) {
  constexpr int kEpisodes = 100;
  const MdpPlanner planner(model, values, key, pool, {.max_states = max_states});
  RecordBuffer start(model.state_size(), kEpisodes);
  model.sample_initial({key.fold("b0")}, start);
  std::vector<double> returns(kEpisodes), worth(kEpisodes);
  std::vector<int> plans(kEpisodes);
  const auto clock = std::chrono::steady_clock::now();
  pool.for_chunks(kEpisodes, 1, [&](size_t e, size_t, size_t) {
    RecordBuffer state(model.state_size(), 1);
    state.copy_from(0, start.at(e));
    StepBuffers buffers(model, 1);
    const StepResults out = buffers.results(1);
    double factor = 1;
    for (int t = 0, ended = 0; t < 150 && !ended;) {
      const MdpPlan plan = planner.plan(state.at(0), key.fold("plan").fold(e).fold(t));
      if (plans[e]++ == 0) worth[e] = plan.value;
      if (plan.actions.empty()) break;
      const size_t follow = plan.ends ? plan.actions.size() : (plan.actions.size() + 1) / 2;
      for (size_t i = 0; i < follow && !ended; ++i, ++t, factor *= model.facts().discount) {
        model.step(state, {&plan.actions[i], 1}, {key.fold("step").fold(t), e}, out);
        returns[e] += factor * out.reward[0];
        ended = out.ended[0];
        state.copy_from(0, out.next.at(0));
      }
    }
  });
  const double seconds = seconds_since(clock) * pool.num_threads();
  double mean = 0, claimed = 0;
  int count = 0;
  for (int e = 0; e < kEpisodes; ++e)
    mean += returns[e] / kEpisodes, claimed += worth[e] / kEpisodes, count += plans[e];
  fmt::print("    plans of {:>5} states: {:.3f} = {:.1f} % (claimed {:.3f}), {:.2f} ms each\n",
             max_states, mean, 100 * mean / reference, claimed, 1e3 * seconds / count);
}

void compare(const char* what, const MdpValue& truth, const MdpValue& fitted, ConstRecords states) {
  std::vector<double> a(states.count), b(states.count);
  truth.value(states, a);
  const auto start = std::chrono::steady_clock::now();
  fitted.value(states, b);
  const double nanoseconds = 1e9 * seconds_since(start) / states.count;
  double bias = 0, size = 0, square = 0, most = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double e = b[i] - a[i];
    bias += e, size += std::abs(e), square += e * e, most = std::max(most, std::abs(e));
  }
  const double n = double(a.size());
  fmt::print(
      "    {:<22} bias {:+.3f}  mean |error| {:.3f}  rms {:.3f}  worst {:.2f}  ({:.0f} ns)\n", what,
      bias / n, size / n, std::sqrt(square / n), most, nanoseconds);
}

void run(const std::string& spec, uint64_t seed) {
  const auto model = load_domain(spec);
  ThreadPool pool;
  const RngKey key = RngKey::from_seed(seed);
  const auto truth = make_mdp_value(*model, {.source = "domain"}, key, pool);
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cores = std::clock();
  const auto fitted = make_mdp_value(*model, {.source = "fitted"}, key, pool);
  const double seconds = seconds_since(start);
  const double core_seconds = double(std::clock() - cores) / CLOCKS_PER_SEC;
  const Greedy best = run_greedy(*model, *truth, 1000, 0, key.fold("judge"));
  const Greedy mine = run_greedy(*model, *fitted, 1000, 0, key.fold("judge"));
  const Greedy loose = run_greedy(*model, *truth, 1000, 0.3, key.fold("loose"));
  fmt::print(
      "{}: {:.1f} s ({:.1f} core-seconds); greedy from b0: fitted {:.3f}, domain {:.3f} = {:.1f} "
      "%\n",
      spec, seconds, core_seconds, mine.mean, best.mean, 100 * mine.mean / best.mean);
  compare("b0", *truth, *fitted, best.met.sub(0, 1000));
  compare("best policy", *truth, *fitted, best.met);
  compare("best, 30 % random", *truth, *fitted, loose.met);
  compare("own policy", *truth, *fitted, mine.met);
  std::vector<double> exact(100);
  truth->value(best.met.sub(0, 100), exact);
  double reference = 0;
  for (double v : exact) reference += v / 100;
  for (int max_states : {64, 256, 1024, 4096})
    run_plans(*model, *fitted, max_states, pool, key.fold("judge"), reference);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> specs(argv + 1, argv + argc);
  if (specs.empty())
    specs = {"tiger",
             "light-dark",
             "rock-sample(n=7,k=8)",
             "rock-sample(n=11,k=11)",
             "rock-sample(n=15,k=15)",
             "rock-sample(n=20,k=20)",
             "lidar-roomba(config=3,v_max=5,quirks=true)"};
  for (const std::string& spec : specs) run(spec, 1);
}

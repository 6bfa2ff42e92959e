// How fast policies are scored and beliefs are updated, and what RockSample(20,20) weighs.
//
//   bench_evaluate [--quick]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>

#include "domains/registry.h"
#include "penumbra/belief/particle_filter.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/policy/alpha_vectors.h"
#include "penumbra/policy/named.h"
#include "penumbra/solvers/registry.h"

namespace penumbra {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The most memory this process has held so far, in MB; 0 where /proc does not say.
double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) / 1024;
  return 0;
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
  return x[x.size() / 2];
}

void bench_policy(const std::string& domain, const std::string& policy_name, uint64_t episodes,
                  int repeats) {
  const auto model = load_domain(domain);
  const auto policy = named_policy(policy_name, *model);
  for (int threads : {1, 2}) {
    ThreadPool pool(threads);
    EvaluateOptions options;
    options.episodes = episodes;
    Score score;
    std::vector<double> speed;
    for (int r = 0; r < repeats; ++r) {
      score = evaluate(*model, *policy, options, pool);
      speed.push_back(score.steps_per_second() / 1e6);
    }
    fmt::print("{:<24} {:<20} {} thread{} {:>8.1f} million steps/s (best {:.1f})  mean {:.4f}\n",
               domain, policy_name, threads, threads > 1 ? "s" : " ", median(speed),
               *std::max_element(speed.begin(), speed.end()), score.mean);
  }
}

// Vectors of SARSOP with exact beliefs: every belief computed anew, and remembered.
void bench_vectors(const std::string& domain, uint64_t backups, uint64_t anew, uint64_t episodes) {
  const auto model = load_domain(domain);
  ThreadPool pool(1);
  Limits limits;
  limits.backups = backups;
  const Solution solution = make_solver("sarsop")->solve(*model, limits, 1, pool, {});
  const auto& found = *policy_as<VectorPolicy>(solution.policy);
  double speed[2];
  for (const bool remember : {false, true}) {
    const AlphaPolicy policy(found.vectors, found.model, remember ? 256'000'000 : 0);
    EvaluateOptions options;
    options.episodes = remember ? episodes : anew;
    const auto start = Clock::now();
    const Score score = evaluate(*model, policy, options, pool);
    const double seconds = seconds_since(start);
    speed[remember] = static_cast<double>(score.episodes()) / seconds;
    fmt::print("{:<24} {} vectors, beliefs {:<10} 1 thread  {:>8.0f} episodes/s ({} in {:.2f} s)\n",
               domain, found.vectors.vectors.size(), remember ? "remembered" : "anew",
               speed[remember], score.episodes(), seconds);
  }
  fmt::print("{:<24} remembering is {:.1f} times as fast\n", domain, speed[1] / speed[0]);
}

void bench_filter(const std::string& domain, bool use_likelihood, int repeats) {
  const auto model = load_domain(domain);
  FilterOptions options;
  options.num_particles = 10'000;
  options.use_likelihood = use_likelihood;
  const ParticleFilter filter(*model, options);
  // Check the first rock, or the first action; what it shows is drawn from the model.
  const int action = model->facts().num_actions > 5 ? 5 : 0;
  const Particles first = filter.initial(RngKey::from_seed(1));
  StepBuffers buffers(*model, 1);
  std::vector<double> speed;
  for (int r = 0; r < repeats; ++r) {
    Particles belief = first;
    const auto start = Clock::now();
    const int updates = 20;
    for (int t = 0; t < updates; ++t) {
      const RngKey key = RngKey::from_seed(2).fold(r).fold(t);
      model->step(belief.states.sub(0, 1), {&action, 1}, {key}, buffers.results(1));
      filter.update(belief, reinterpret_cast<const std::byte*>(&action), buffers.seen.at(0), key);
    }
    speed.push_back(updates * options.num_particles / seconds_since(start) / 1e6);
  }
  fmt::print("{:<24} {:<20} 1 thread  {:>8.1f} million particle updates/s\n", domain,
             use_likelihood ? "weighted filter" : "rejection filter", median(speed));
}

}  // namespace
}  // namespace penumbra

int main(int argc, char** argv) {
  using namespace penumbra;
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  const int repeats = quick ? 3 : 15;
  const std::string rocks = "rock-sample(n=20,k=20)";
  {
    const auto model = load_domain(rocks);
    const auto policy = named_policy("blind(action=east)", *model);
    ThreadPool pool(2);
    EvaluateOptions options;
    options.episodes = 100'000;
    evaluate(*model, *policy, options, pool);
    fmt::print("{:<24} peak memory {:.1f} MB after 100000 episodes", rocks, peak_megabytes());
    RecordBuffer state(model->state_size(), 1);
    model->sample_initial({RngKey::from_seed(1)}, state);
    double value;
    const auto start = Clock::now();
    model->mdp_value(state, {&value, 1});
    fmt::print(", {:.1f} MB with the MDP value (made in {:.2f} s)\n", peak_megabytes(),
               seconds_since(start));
  }
  bench_policy(rocks, "blind(action=east)", quick ? 50'000 : 500'000, repeats);
  bench_policy(rocks, "random", quick ? 1'000 : 20'000, repeats);
  bench_policy("light-dark", "random", quick ? 50'000 : 500'000, repeats);
  bench_vectors("rock-sample(n=7,k=8,map_seed=1)", quick ? 300 : 5000, quick ? 200 : 2000,
                quick ? 10'000 : 100'000);
  bench_filter(rocks, true, repeats);
  bench_filter(rocks, false, repeats);
  bench_filter("light-dark", true, repeats);
}

// How much smaller controllers become (evaluate/shrink.h): solves the problems of the README's
// table with nvi, shrinks what comes out, and prints a row each. docs/deploy.md has the figures.
//
//   bench_shrink [SECONDS [EPISODES [PROBLEM | POLICY-FILE ...]]]     20 s of solving, 100 000
//
// Policies are kept beside it (shrink-1.policy ...) and can be given again instead of problems.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/evaluate/shrink.h"
#include "penumbra/io/any_policy.h"
#include "penumbra/solvers/registry.h"

using namespace penumbra;

namespace {

const std::vector<std::string> kProblems = {
    "rock-sample(n=7,k=8,map_seed=1)",   "rock-sample(n=11,k=11,map_seed=1)",
    "rock-sample(n=15,k=15,map_seed=1)", "light-dark(clusters=20)",
    "light-dark(clusters=50)",           "lidar-roomba(clusters=10,quirks=true)"};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

PolicyFile solved(const std::string& problem, double seconds, int number, ThreadPool& pool) {
  const auto model = load_finite_domain(problem);
  Limits limits;
  limits.seconds = seconds;
  const Solution solution =
      make_solver("nvi")->solve(*model, limits, 1, pool, [](const SolveProgress&) {});
  PolicyFile file = describe_policy(*model, solution.policy);
  write_policy_file(fmt::format("shrink-{}.policy", number), file);
  return file;
}

}  // namespace

int main(int argc, char** argv) try {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 20;
  ShrinkOptions options;
  if (argc > 2) options.episodes = static_cast<uint64_t>(std::atof(argv[2]));
  options.tell = [](const std::string& line) { fmt::print(stderr, "  {}\n", line); };
  std::vector<std::string> problems(argv + std::min(argc, 3), argv + argc);
  if (problems.empty()) problems = kProblems;
  ThreadPool pool;
  fmt::print("{:<40} {:>6} {:>7} {:>6} {:>6}  {:>17}  {:>17}  {:>18} {:>8}\n", "problem", "saved",
             "minimal", "shrunk", "times", "value before", "after", "loss, paired", "seconds");
  int number = 0;
  for (const std::string& problem : problems) {
    ++number;
    const PolicyFile policy = is_policy_path(problem) ? read_policy_file(problem)
                                                      : solved(problem, seconds, number, pool);
    const auto model = load_finite_domain(policy.domain);
    const double begin = now();
    const Shrunk s = shrink(*model, policy.controller(), options, pool);
    fmt::print(
        "{:<40} {:>6} {:>7} {:>6} {:>6.1f}  {:>8.4f} +-{:>6.4f}  {:>8.4f} +-{:>6.4f}  {:>8.4f} "
        "+-{:>7.4f} {:>8.1f}\n",
        policy.domain, s.nodes_before, s.nodes_minimal, s.fsc.num_nodes(),
        double(s.nodes_before) / s.fsc.num_nodes(), s.check.a.mean, s.check.a.standard_error,
        s.check.b.mean, s.check.b.standard_error, s.check.difference.mean,
        s.check.difference.standard_error, now() - begin);
    std::fflush(stdout);
  }
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}

// How fast recurrent PPO trains, end to end: bench_ppo [DOMAIN [BACKUPS [THREADS]]]. Prints
// environment steps per second of the clock and of the processor, and where the time goes. The
// second figure is the one to compare on a busy machine.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "domains/registry.h"
#include "penumbra/nn/kernels.h"
#include "penumbra/solvers/registry.h"

int main(int argc, char** argv) {
  using namespace penumbra;
  const std::string domain = argc > 1 ? argv[1] : "rock-sample(n=7,k=8,map_seed=1)";
  const std::unique_ptr<Pomdp> model = load_finite_domain(domain);
  const std::unique_ptr<Solver> solver = make_solver("ppo");
  OptionList options = solver->options();
  options.set("hidden", "128");
  options.set("epochs", "3");
  options.set("evaluations", "1");
  Limits limits;
  limits.seconds = 0;
  limits.backups = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 240;
  ThreadPool pool(argc > 3 ? std::atoi(argv[3]) : 0);
  float sink = 1;
  const std::clock_t peak_start = std::clock();
  const double peak_work = nn::kernels().fma_loop(10'000'000, &sink);
  const double peak = peak_work / (double(std::clock() - peak_start) / CLOCKS_PER_SEC);
  const std::clock_t start = std::clock();
  const Solution s = solver->solve(*model, limits, 1, pool, [](const SolveProgress&) {});
  const double processor = double(std::clock() - start) / CLOCKS_PER_SEC;
  fmt::print("{}: {:.0f} steps in {:.2f} s, threads {}\n", domain, s.work.simulator_steps,
             s.seconds, pool.num_threads());
  fmt::print("  per second             {:8.0f} steps\n", s.work.simulator_steps / s.seconds);
  fmt::print("  per processor second   {:8.0f} steps\n", s.work.simulator_steps / processor);
  for (const auto& [phase, seconds] : s.work.timings())
    fmt::print("  {:<22} {:8.1f} % of the clock\n", phase, 100 * seconds / s.seconds);
  // Of a step: two GRUs (six squares), two dense squares; once played, thrice per epoch.
  const double products = 2.0 * 7 * 128 * 128 * (1 + 3 * 3);
  fmt::print("  matrix products        {:8.1f} % of a bare multiply-add loop ({:.1f} G/s)\n",
             100 * products * s.work.simulator_steps / processor / peak, peak / 1e9);
  return 0;
}

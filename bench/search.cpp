// Descents per second of pomcp on one thread, for waves of 1 and of the default.
//
//   bench_search [DOMAIN [SIMULATIONS]]
#include <fmt/format.h>

#include "bench/race.h"
#include "domains/registry.h"
#include "penumbra/search/pomcp.h"

using namespace penumbra;

int main(int argc, char** argv) {
  const auto model = load_domain(argc > 1 ? argv[1] : "rock-sample(n=11,k=11)");
  const uint64_t simulations = argc > 2 ? std::stoull(argv[2]) : 20'000;
  RecordBuffer states(model->state_size(), 1000);
  model->sample_initial({RngKey::from_seed(1)}, states);
  ThreadPool pool(1);
  for (const char* kind : {"rollout", "mdp", "blind", "zero"}) {
    const auto leaf = search::make_leaf(*model, {.kind = kind}, RngKey::from_seed(2), pool);
    for (int wave : {1, search::PomcpOptions().wave}) {
      const search::Pomcp planner(*model, {.wave = wave}, leaf);
      const auto search = planner.start();
      std::vector<double> seconds;
      search::Decision now;
      for (uint64_t round = 0; round < 6; ++round) {  // the first one makes the memory
        const double start = nn::cpu_seconds();
        now =
            search->plan({states}, {.simulations = simulations}, RngKey::from_seed(3).fold(round));
        if (round > 0) seconds.push_back(nn::cpu_seconds() - start);
      }
      fmt::print("| {} | wave {} | {:.0f} simulations/s | {:.1f} steps each | {} {:.2f} |\n", kind,
                 wave, double(simulations) / nn::median(seconds),
                 double(now.steps) / double(simulations), model->describe_action(now.action.data()),
                 now.value);
    }
  }
}

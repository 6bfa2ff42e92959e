// Descents per second of pomcp, for waves of 1 and of the default, and beliefs and steps of the
// model per second of despot, on one thread.
//
//   bench_search [DOMAIN [SIMULATIONS [DESCENTS]]]
#include <fmt/format.h>

#include "bench/race.h"
#include "domains/registry.h"
#include "penumbra/search/despot.h"
#include "penumbra/search/pomcp.h"

using namespace penumbra;

namespace {

struct Figures {
  search::Decision last;
  double seconds = 0;             // median of a decision
  double beliefs = 0, steps = 0;  // per second, all rounds together
};

Figures measure(const search::Planner& planner, ConstRecords states, uint64_t simulations) {
  const auto search = planner.start();
  Figures out;
  std::vector<double> seconds;
  double total = 0;
  for (uint64_t round = 0; round < 6; ++round) {  // the first one makes the memory
    const double start = nn::cpu_seconds();
    out.last =
        search->plan({states}, {.simulations = simulations}, RngKey::from_seed(3).fold(round));
    if (round == 0) continue;
    seconds.push_back(nn::cpu_seconds() - start);
    total += seconds.back();
    out.beliefs += out.last.beliefs;
    out.steps += double(out.last.steps);
  }
  out.seconds = nn::median(seconds);
  out.beliefs /= total;
  out.steps /= total;
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const auto model = load_finite_domain(argc > 1 ? argv[1] : "rock-sample(n=11,k=11)");
  const uint64_t simulations = argc > 2 ? std::stoull(argv[2]) : 20'000;
  const uint64_t descents = argc > 3 ? std::stoull(argv[3]) : 500;
  RecordBuffer states(model->state_size(), 1000);
  model->sample_initial({RngKey::from_seed(1)}, states);
  ThreadPool pool(1);
  for (const char* kind : {"rollout", "mdp", "blind", "zero"}) {
    const auto leaf = search::make_leaf(*model, {.kind = kind}, RngKey::from_seed(2), pool);
    for (int wave : {1, search::PomcpOptions().wave}) {
      const Figures f = measure(search::Pomcp(*model, {.wave = wave}, leaf), states, simulations);
      fmt::print("| pomcp, {} | wave {} | {:.0f} simulations/s | {:.1f} steps each | {} {:.2f} |\n",
                 kind, wave, double(simulations) / f.seconds,
                 double(f.last.steps) / double(simulations),
                 model->describe_action(f.last.action.data()), f.last.value);
    }
  }
  const search::Despot despot(*model, {}, search::Guide::blind(*model, RngKey::from_seed(2)),
                              make_mdp_value(*model, {}, RngKey::from_seed(2), pool));
  const Figures f = measure(despot, states, descents);
  fmt::print(
      "| despot | {} descents in {:.2f} s | {:.0f} beliefs/s | {:.1f} million steps/s | {} "
      "{:.2f} |\n",
      f.last.simulations, f.seconds, f.beliefs, 1e-6 * f.steps,
      model->describe_action(f.last.action.data()), f.last.value);
}

// Whether decisions keep to their time: the 50th and the 99th percentile of the wall time of a
// decision as a share of what it may take, for every planner, along episodes, on one thread. Only
// decisions that had a core for themselves count: those whose CPU time is their wall time.
//
//   bench_search_time [DECISIONS [PLANNER]]
#include <fmt/format.h>

#include <algorithm>

#include "bench/race.h"
#include "domains/registry.h"
#include "penumbra/model/classified.h"
#include "penumbra/search/planners.h"

using namespace penumbra;

namespace {

constexpr double kDisturbed = 0.01;  // share of the wall time that others had

// Wall times of undisturbed decisions; a new episode where one ends.
std::vector<double> decision_times(const Pomdp& model, const Policy& policy, int decisions) {
  RecordBuffer state(model.state_size(), 1), memory(policy.memory_size(), 1),
      action(model.action_size(), 1);
  StepBuffers buffers(model, 1);
  std::vector<double> times;
  bool ended = true;
  for (int t = 0; t < decisions; ++t) {
    const RngKey key = RngKey::from_seed(1).fold(t);
    if (ended) {
      model.sample_initial({key.fold("state")}, state);
      policy.start({key.fold("start")}, memory);
    }
    const double start = nn::wall_seconds(), cpu_start = nn::cpu_seconds();
    policy.act(memory, {key.fold("act")}, action);
    const double cpu = nn::cpu_seconds() - cpu_start, wall = nn::wall_seconds() - start;
    if (wall - cpu < kDisturbed * wall) times.push_back(wall);
    const StepResults out = buffers.results(1);
    model.step(state, action, {key.fold("step")}, out);
    ended = out.ended[0];
    if (ended) continue;
    state.copy_from(0, out.next.at(0));
    policy.observe(memory, action, out.seen, {key.fold("observe")});
  }
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  const int decisions = argc > 1 ? std::stoi(argv[1]) : 200;
  const std::string only = argc > 2 ? argv[2] : "";
  ThreadPool pool(1);
  for (const char* domain : {"rock-sample(n=11,k=11)", "light-dark"}) {
    for (const search::PlannerInfo& planner : search::planners()) {
      if (!only.empty() && only != planner.name) continue;
      const auto model = planner.needs.has(Capability::kFiniteObservations)
                             ? load_finite_domain(domain)
                             : load_domain(domain);
      for (double seconds : {0.02, 0.1}) {
        const std::string spec = fmt::format("{}(time={}s)", planner.name, seconds);
        const auto policy = search::online_policy(
            spec, *model, [](const std::string&) { return Fnc{}; }, pool);
        const std::vector<double> times = decision_times(
            search::sees_raw(spec, *model) ? groups_of_likelihood(*model)->inner() : *model,
            *policy, decisions);
        if (times.empty()) continue;
        auto share = [&](double q) {
          return 100 * times[size_t(q * double(times.size() - 1))] / seconds;
        };
        fmt::print("| {} | {} | {} decisions | median {:.1f} % | 99th {:.1f} % | {:.1f} % |\n",
                   domain, spec, times.size(), share(0.5), share(0.99), share(1));
      }
    }
  }
}

// A robot that plans while it acts: one episode, and what the planner thinks at every step.
//   example_online [DOMAIN [PLANNER]]
#include <cstdio>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/search/agent.h"

using namespace penumbra;

void run(const char* domain, const char* planner) {
  const auto model = load_finite_domain(domain);
  ThreadPool pool;  // all cores work on one decision
  search::Agent agent(*model, planner, 1, pool);

  // The world stands in for a robot: it keeps the true state, which the agent never sees.
  const Pomdp& world = agent.sensed();  // what is seen there is not grouped
  const RngKey key = RngKey::from_seed(2);
  RecordBuffer state(world.state_size(), 1);
  StepBuffers buffers(world, 1);
  world.sample_initial({key.fold("initial")}, state);

  double total = 0, weight = 1;
  for (int t = 0; t < 50; ++t) {
    const int32_t action = agent.act();
    const StepResults out = buffers.results(1);
    world.step(state, {&action, 1}, {key.fold(t)}, out);
    const auto& d = agent.decision();
    std::printf("%2d  %-12s saw %-10s reward %6.1f   worth %7.2f", t,
                model->facts().action_name(action).c_str(),
                world.describe_seen(out.seen.data).c_str(), out.reward[0], d.value);
    if (d.lower <= d.upper) std::printf(", between %.2f and %.2f", d.lower, d.upper);
    std::printf("\n");
    total += weight * out.reward[0];
    weight *= model->facts().discount;
    if (out.ended[0]) break;
    agent.observe_record(out.seen.data);
    state.copy_from(0, out.next.data);
  }
  std::printf("return %.2f with %s\n", total, agent.describe().c_str());
}

int main(int argc, char** argv) try {
  run(argc > 1 ? argv[1] : "rock-sample(n=7,k=8)", argc > 2 ? argv[2] : "despot(time=0.1s)");
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

// The loop of a robot: act, observe, and keep a few bytes in between. Replace the simulator by
// your robot.
//   robot my-problem.policy
#include <cstdio>

#include "my_problem.h"
#include "penumbra/io/any_policy.h"

using namespace penumbra;

int main(int argc, char** argv) try {
  if (argc != 2) throw Error("usage: robot POLICY-FILE");
  const auto model = adapt(MyProblem{});
  const auto policy = load_policy_file(argv[1], *model);

  const RngKey world = RngKey::from_seed(1), robot = RngKey::from_seed(2);
  RecordBuffer state(model->state_size(), 1), memory(policy->memory_size(), 1),
      action(model->action_size(), 1);
  StepBuffers buffers(*model, 1);
  model->sample_initial({world}, state);
  policy->start({robot.fold("start")}, memory);
  for (int t = 0; t < 100; ++t) {
    policy->act(memory, {robot.fold("act").fold(t)}, action);

    // A robot does this itself: it executes the action and reads its sensor.
    const StepResults out = buffers.results(1);
    model->step(state, ConstRecords(action), {world.fold(t)}, out);
    state.copy_from(0, out.next.data);

    std::printf("%2d  %-6s  saw %s\n", t, model->describe_action(action.at(0)).c_str(),
                model->describe_seen(out.seen.data).c_str());
    if (out.ended[0]) break;
    policy->observe(memory, ConstRecords(action), out.seen, {robot.fold("observe").fold(t)});
  }
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

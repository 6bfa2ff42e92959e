// From a problem to a robot in one file: model, solver, policy, score, save, load, act.
//   example_solve_own [SECONDS [POLICY-FILE]]
#include <cstdio>
#include <cstdlib>

#include "penumbra/evaluate/score.h"
#include "penumbra/io/any_policy.h"
#include "penumbra/penumbra.h"
#include "penumbra/policy/playable.h"
#include "penumbra/solvers/registry.h"

using namespace penumbra;

// A valve is stuck or fine. Tapping it tells which, four times out of five; the robot may repair it
// or report that it is fine.
struct Valve {
  struct State {
    int stuck, done;
  };
  using Observation = int;  // 0: it sounds fine, 1: it sounds stuck
  enum Action { kTap, kRepair, kReport };

  Facts facts() const {
    return {.name = "valve",
            .discount = 0.95,
            .num_actions = 3,
            .num_observations = 2,
            .min_reward = -50,
            .max_reward = 10,
            .action_names = {"tap", "repair", "report"},
            .observation_names = {"fine", "stuck"}};
  }
  State sample_initial(Rng& rng) const { return {rng.bernoulli(0.3), 0}; }
  bool is_terminal(const State& s) const { return s.done; }
  Outcome<State, int> step(const State& s, int action, Rng& rng) const {
    if (action == kTap) return {s, rng.bernoulli(stuck_sound(s)), -1};
    const float reward = action == kRepair ? (s.stuck ? 10.f : -10.f) : (s.stuck ? -50.f : 10.f);
    return {{s.stuck, 1}, 0, reward};
  }
  double likelihood(int seen, int action, const State& next) const {
    const double p = action == kTap ? stuck_sound(next) : 0;
    return seen ? p : 1 - p;
  }
  static double stuck_sound(const State& s) { return s.stuck ? 0.8 : 0.2; }
};
static_assert(Model<Valve>);

// What a robot does: it acts, it observes, and it keeps a few bytes. Here a simulator answers.
void act(const Pomdp& model, const Policy& policy) {
  const RngKey world = RngKey::from_seed(7), robot = RngKey::from_seed(8);
  RecordBuffer state(model.state_size(), 1), memory(policy.memory_size(), 1),
      action(model.action_size(), 1);
  StepBuffers buffers(model, 1);
  model.sample_initial({world}, state);
  policy.start({robot.fold("start")}, memory);
  for (int t = 0; t < 100; ++t) {
    policy.act(memory, {robot.fold("act").fold(t)}, action);
    const StepResults out = buffers.results(1);
    model.step(state, ConstRecords(action), {world.fold(t)}, out);
    std::printf("  %-6s  heard %-5s  reward %.0f\n", model.describe_action(action.at(0)).c_str(),
                model.describe_seen(out.seen.data).c_str(), out.reward[0]);
    if (out.ended[0]) return;
    policy.observe(memory, ConstRecords(action), out.seen, {robot.fold("observe").fold(t)});
    state.copy_from(0, out.next.data);
  }
}

void run(double seconds, const char* file) {
  const auto model = adapt(Valve{});
  ThreadPool pool;

  const auto solver = make_solver("mcvi");
  Limits limits;
  limits.seconds = seconds;
  const Solution solution = solver->solve(*model, limits, 1, pool, [](const SolveProgress& p) {
    std::printf("%6.1f s  value %.2f\n", p.seconds, p.simulated.mean);
  });

  const auto policy = playable(solution.policy, *model);
  const Score score = evaluate(*model, *policy, {.episodes = 100'000}, pool);
  std::printf("value %.3f, standard error %.3f\n", score.mean, score.standard_error);

  save_policy_file(file, describe_policy(*model, solution.policy), *model);
  const auto loaded = load_policy_file(file, *model);
  std::printf("one episode of %s\n", file);
  act(*model, *loaded);
}

int main(int argc, char** argv) try {
  run(argc > 1 ? std::atof(argv[1]) : 5, argc > 2 ? argv[2] : "valve.policy");
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

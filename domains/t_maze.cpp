#include "domains/t_maze.h"

#include <fmt/format.h>

namespace penumbra {

Facts TMaze::facts() const {
  return {.name = name,
          .discount = discount,
          .num_actions = 4,
          .num_observations = 4,
          .min_reward = penalty,
          .max_reward = goal_reward,
          .action_names = {"north", "east", "south", "west"},
          .observation_names = {"sign-north", "sign-south", "corridor", "junction"}};
}

Tabular TMaze::table() const {
  const Facts f = facts();
  Tabular t;
  t.name = f.name;
  t.discount = f.discount;
  t.num_states = 2 * (length + 2);
  t.num_actions = f.num_actions;
  t.num_observations = f.num_observations;
  t.action_names = f.action_names;
  t.observation_names = f.observation_names;
  t.transition.resize(4);
  t.observation.resize(4);
  t.reward.assign(4, std::vector<double>(t.num_states, 0.0));
  Rng unused(RngKey{}, 0);
  for (int a = 0; a < 4; ++a)
    for (int i = 0; i < t.num_states; ++i) {
      const State s{i / 2 - 1, i % 2};
      const auto outcome =
          is_terminal(s) ? Outcome<State, int>{s, kCorridor, 0} : step(s, a, unused);
      t.transition[a].add(state_index(outcome.next), 1);
      t.transition[a].end_row();
      t.observation[a].add(is_terminal(s) ? int{kCorridor} : seen_at(s), 1);
      t.observation[a].end_row();
      t.reward[a][i] = outcome.reward;
    }
  t.start.assign(t.num_states, 0.0);
  t.start[state_index({0, 0})] = t.start[state_index({0, 1})] = 0.5;
  t.terminal.assign(t.num_states, 0);
  t.terminal[0] = t.terminal[1] = 1;
  return t;
}

std::string TMaze::describe_state(const State& s) const {
  return s.x < 0 ? "done" : fmt::format("x = {}, reward {}", s.x, s.south ? "south" : "north");
}

std::unique_ptr<Pomdp> make_t_maze(Params& p) {
  TMaze m;
  m.length = p.integer("length", 10, 2, 100'000, "steps from the start to the junction");
  m.discount = p.real("discount", 0.98, 0, 0.999999, "gamma");
  m.name = p.canonical();
  return adapt(m);
}

}  // namespace penumbra

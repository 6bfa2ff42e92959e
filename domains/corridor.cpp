#include "domains/corridor.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"

namespace penumbra {

Facts Corridor::facts() const {
  return {.name = name,
          .discount = discount,
          .num_actions = 3,
          .num_observations = 3,
          .min_reward = wall_penalty,
          .max_reward = door_reward,
          .action_names = {"west", "east", "open"},
          .observation_names = {"nothing", "west-wall", "east-wall"}};
}

Tabular Corridor::table() const {
  const Facts f = facts();
  Tabular t;
  t.name = f.name;
  t.discount = f.discount;
  t.num_states = n + 1;  // the last one: it has opened
  t.num_actions = 3;
  t.num_observations = 3;
  t.action_names = f.action_names;
  t.observation_names = f.observation_names;
  t.transition.resize(3);
  t.observation.resize(3);
  t.reward.assign(3, std::vector<double>(n + 1, 0.0));
  for (int a = 0; a < 3; ++a)
    for (int s = 0; s <= n; ++s) {
      const bool done = s == n;
      const int to = done || a == kOpen ? n : moved(s, a);
      if (to != s && a != kOpen && slip > 0) t.transition[a].add(s, slip);
      t.transition[a].add(to, to != s && a != kOpen ? 1 - slip : 1.0);
      t.transition[a].end_row();
      t.observation[a].add(seen_at({static_cast<int16_t>(s), done}), 1);
      t.observation[a].end_row();
      if (!done && a == kOpen) t.reward[a][s] = s == door ? door_reward : wall_penalty;
    }
  t.start.assign(n + 1, 1.0 / n);
  t.start[n] = 0;
  t.terminal.assign(n + 1, 0);
  t.terminal[n] = 1;
  return t;
}

std::string Corridor::describe_state(const State& s) const {
  return fmt::format("at {}{}", s.x, s.done ? ", has opened" : "");
}

std::unique_ptr<Pomdp> make_corridor(Params& p) {
  Corridor m;
  m.n = p.integer("n", 40, 2, 10'000, "cells");
  m.door = p.integer("door", 10, 0, 9'999, "the cell with the door, from 0 in the west");
  m.slip = p.real("slip", 0, 0, 0.999, "chance that a step fails");
  m.discount = p.real("discount", 0.98, 0, 0.999999, "gamma");
  m.name = p.canonical();
  if (m.door >= m.n)
    throw Error(fmt::format("corridor: door={} is beyond the last cell, {}", m.door, m.n - 1));
  return adapt(m);
}

std::vector<MacroAction> corridor_macro_actions(const Facts&) {
  constexpr int kEnds = MacroAction::kEnds;
  std::vector<MacroAction> macros = {
      {"west to the wall", {Corridor::kWest}, {0, kEnds, 0}, 3},
      {"east to the wall", {Corridor::kEast}, {0, 0, kEnds}, 3},
  };
  for (int steps : {2, 4, 8}) {
    macros.push_back(
        macro_sequence(fmt::format("west x{}", steps), std::vector<int>(steps, Corridor::kWest)));
    macros.push_back(
        macro_sequence(fmt::format("east x{}", steps), std::vector<int>(steps, Corridor::kEast)));
  }
  return macros;
}

}  // namespace penumbra

#include "domains/tiger.h"

namespace penumbra {

Tabular Tiger::table() const {
  const Facts f = facts();
  Tabular t;
  t.name = f.name;
  t.discount = f.discount;
  t.num_states = 2;
  t.num_actions = 3;
  t.num_observations = 2;
  t.state_names = {"tiger-left", "tiger-right"};
  t.action_names = f.action_names;
  t.observation_names = f.observation_names;
  t.transition.resize(3);
  t.observation.resize(3);
  for (int a = 0; a < 3; ++a)
    for (int s = 0; s < 2; ++s) {
      for (int next = 0; next < 2; ++next) {
        const double p = a == kListen ? s == next : 0.5;
        if (p > 0) t.transition[a].add(next, p);
        t.observation[a].add(next, likelihood(next, a, {s}));
      }
      t.transition[a].end_row();
      t.observation[a].end_row();
    }
  t.reward = {
      {listen_penalty, listen_penalty}, {gold_reward, gold_reward}, {gold_reward, gold_reward}};
  t.reward[kOpenLeft][0] = t.reward[kOpenRight][1] = tiger_penalty;
  t.start = {0.5, 0.5};
  t.terminal = {0, 0};
  return t;
}

std::unique_ptr<Pomdp> make_tiger(Params& p) {
  Tiger m;
  m.discount = p.real("discount", 0.95, 0, 0.999999, "gamma");
  m.accuracy = p.real("accuracy", 0.85, 0.5, 1, "of listening");
  m.name = p.canonical();
  return adapt(m);
}

}  // namespace penumbra

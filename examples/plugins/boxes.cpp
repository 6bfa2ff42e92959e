// A problem of one's own in one file, without Penumbra's source tree:
//
//   penumbra solve examples/plugins/boxes.cpp --time 5s -o boxes.policy
//   penumbra solve 'examples/plugins/boxes.cpp(boxes=5,noise=0.3)' --time 5s
//
// One of a few boxes holds the part that a robot needs. Shaking a box tells whether it is in there,
// though not reliably; opening a box ends the search. docs/own-problem.md explains it.
#include <penumbra/penumbra.h>

using namespace penumbra;

struct Boxes {
  struct State {
    int part;  // the box that holds it
    int done;
  };
  using Observation = int;
  enum { kNothing, kRattle };  // what is heard

  int boxes;
  double noise;

  explicit Boxes(Params& p)
      : boxes(p.integer("boxes", 3, 2, 20, "how many there are")),
        noise(p.real("noise", 0.15, 0, 0.5, "how often the answer is wrong")) {}

  // Actions: shake box 0, 1, ..., then open box 0, 1, ...
  Facts facts() const {
    Facts facts{.name = "boxes",
                .discount = 0.95,
                .num_actions = 2 * boxes,
                .num_observations = 2,
                .min_reward = -20,
                .max_reward = 10,
                .observation_names = {"nothing", "rattle"}};
    for (const char* what : {"shake-", "open-"})
      for (int b = 0; b < boxes; ++b) facts.action_names.push_back(what + std::to_string(b));
    return facts;
  }
  State sample_initial(Rng& rng) const { return {static_cast<int>(rng.below(boxes)), 0}; }
  bool is_terminal(const State& s) const { return s.done; }
  Outcome<State, int> step(const State& s, int action, Rng& rng) const {
    if (action >= boxes) return {{s.part, 1}, kNothing, action - boxes == s.part ? 10.f : -20.f};
    return {s, rng.bernoulli(rattle(action, s)) ? kRattle : kNothing, -1};
  }

  // Optional: how likely an observation is, and what a network sees of a state.
  double likelihood(int seen, int action, const State& next) const {
    const double p = rattle(action, next);
    return seen == kRattle ? p : 1 - p;
  }
  FeatureLayout features() const { return {.categories = {boxes, 2}}; }
  void encode(const State& s, FeatureRow row) const {
    row.category[0] = s.part;
    row.category[1] = s.done;
  }
  std::string describe_state(const State& s) const { return "part in " + std::to_string(s.part); }

 private:
  // How likely this box rattles when it is shaken; an open one is silent.
  double rattle(int action, const State& s) const {
    if (action >= boxes) return 0;
    return action == s.part ? 1 - noise : noise;
  }
};

PENUMBRA_MODEL(Boxes);

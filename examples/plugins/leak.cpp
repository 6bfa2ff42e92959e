// The problem of the tutorial (docs/tutorial.md): a robot looks for a leaking valve.
//
//   penumbra check examples/plugins/leak.cpp
//   penumbra solve 'examples/plugins/leak.cpp(noise=2)' --time 5s -o leak.policy
//
// A pipe runs along a corridor of ten metres; one of its valves leaks. The robot knows where it is,
// not which valve. Its gas sensor tells concentration, roughly: better when it stops to sniff. It
// has to close the right valve before its battery is empty.
#include <penumbra/penumbra.h>

#include <algorithm>
#include <array>
#include <cmath>

using namespace penumbra;

struct Leak {
  struct State {
    int valve;     // which one leaks
    int position;  // of the robot, in metres from the charger
    int battery;   // actions left
    int over;
  };
  using Observation = float;  // what the sensor says, in ppm
  enum Action { kLeft, kRight, kSniff, kClose };
  static constexpr std::array kValves = {1, 4, 6, 9};  // metres
  static constexpr int kLength = 10;

  double noise;
  int battery;

  explicit Leak(Params& p)
      : noise(p.real("noise", 1, 0.1, 10, "standard deviation of the sensor when it sniffs, ppm")),
        battery(p.integer("battery", 25, 5, 100, "actions before it is empty")) {}

  Facts facts() const {
    return {.name = "leak",
            .discount = 0.98,
            .num_actions = 4,
            .num_observations = 0,  // a real number
            .min_reward = -51,
            .max_reward = 50,
            .action_names = {"left", "right", "sniff", "close"}};
  }

  State sample_initial(Rng& rng) const {
    return {static_cast<int>(rng.below(kValves.size())), 0, battery, 0};
  }
  bool is_terminal(const State& s) const { return s.over; }

  Outcome<State, float> step(const State& s, int action, Rng& rng) const {
    State next = s;
    float reward = -1;
    if (action == kLeft) next.position = std::max(s.position - 1, 0);
    if (action == kRight) next.position = std::min(s.position + 1, kLength);
    --next.battery;
    if (action == kClose) {
      reward = s.position == kValves[s.valve] ? 50 : -50;
      next.over = 1;
    } else if (next.battery == 0) {
      reward -= 50;  // somebody has to fetch it
      next.over = 1;
    }
    const double seen = concentration(next) + deviation(action) * rng.normal();
    return {next, static_cast<float>(seen), reward};
  }

  // Optional. How likely a reading is: beliefs can be weighed instead of guessed.
  double likelihood(float seen, int action, const State& next) const {
    const double z = (seen - concentration(next)) / deviation(action);
    return std::exp(-z * z / 2) / (deviation(action) * std::sqrt(2 * M_PI));
  }
  // The same for whole intervals of readings, which is what a controller tells apart.
  double cumulative(float seen, int action, const State& next) const {
    return std::erfc((concentration(next) - seen) / (deviation(action) * M_SQRT2)) / 2;
  }
  // What a network sees of a state.
  FeatureLayout features() const {
    return {.categories = {static_cast<int>(kValves.size()), kLength + 1}, .num_dense = 1};
  }
  void encode(const State& s, FeatureRow row) const {
    row.category[0] = s.valve;
    row.category[1] = s.position;
    row.dense[0] = static_cast<float>(s.battery) / battery;
  }
  // At best, the robot knew the valve, went there and closed it.
  double mdp_value(const State& s) const {
    if (s.over) return 0;
    const int way = std::abs(s.position - kValves[s.valve]);
    const double kept = std::pow(facts().discount, way);
    return 50 * kept - (1 - kept) / (1 - facts().discount);
  }
  // For pictures: where the robot is, and where the leak.
  static constexpr int kNumCoordinates = 3;
  void coordinates(const State& s, std::span<float> x) const {
    x[0] = s.position;
    x[1] = kValves[s.valve];
    x[2] = s.battery;
  }
  State from_coordinates(std::span<const float> x) const {
    int nearest = 0;
    for (int v = 1; v < static_cast<int>(kValves.size()); ++v)
      if (std::abs(kValves[v] - x[1]) < std::abs(kValves[nearest] - x[1])) nearest = v;
    return {nearest, std::clamp(static_cast<int>(std::lround(x[0])), 0, kLength),
            std::clamp(static_cast<int>(std::lround(x[2])), 1, battery), 0};
  }
  std::string draw(const State& s) const {
    std::string pipe(kLength + 1, '-');
    for (const int valve : kValves) pipe[valve] = 'o';
    pipe[kValves[s.valve]] = '*';
    return pipe + "\n" + std::string(s.position, ' ') + "R\n";
  }
  std::string describe_state(const State& s) const {
    return "robot at " + std::to_string(s.position) + ", leak at " +
           std::to_string(kValves[s.valve]) + ", battery " + std::to_string(s.battery);
  }

 private:
  // Gas thins out with the distance from the leak.
  static double concentration(const State& s) {
    const double metres = s.position - kValves[s.valve];
    return 10 / (1 + metres * metres / 4);
  }
  // A moving sensor is worse than one that waits.
  double deviation(int action) const { return action == kSniff ? noise : 4 * noise; }
};

PENUMBRA_MODEL(Leak);

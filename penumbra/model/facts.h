// What a model says about itself before anything is simulated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penumbra {

struct Facts {
  std::string name{};        // as the registry knows it, parameters included
  double discount = 0.95;    // gamma, in [0, 1)
  int num_actions = 0;       // 0: continuous, see `action_low`
  int num_observations = 0;  // 0: continuous, plain floats
  double min_reward = 0;     // of one step
  double max_reward = 0;
  std::vector<std::string> action_names{};       // empty, or num_actions of them
  std::vector<std::string> observation_names{};  // empty, or num_observations of them
  std::vector<float> action_low{};               // the box of a continuous action
  std::vector<float> action_high{};
  // Actions of the box that are worth trying first, row-major; none: solvers choose some.
  std::vector<float> action_hints{};

  // The name, or a0, a1, ... and o0, o1, ... where there are none.
  std::string action_name(int action) const;
  std::string observation_name(int seen) const;
};

// Steps after which what is left is worth at most `bias`: discount^T max|r| / (1 - discount).
int horizon_for(const Facts& facts, double bias);
// What steps from T on can be worth at most, in absolute value.
double tail_bound(const Facts& facts, int steps);
// What no policy is worth less than.
double least_value(const Facts& facts);

// Whether the type of observations (or actions) fits the number that the facts give: whole numbers
// are a finite set, everything else is plain floats. Throws Error that says what to set.
void check_observation_type(const Facts& facts, bool is_whole);
void check_action_type(const Facts& facts, bool is_whole);

// The optional parts of a model. A solver states what it needs; `describe` puts it into words.
enum class Capability : uint32_t {
  kFiniteActions = 1 << 0,
  kFiniteObservations = 1 << 1,
  kFeatures = 1 << 2,     // encode
  kLikelihood = 1 << 3,   // O(o | s', a)
  kCumulative = 1 << 4,   // P(O <= o | s', a), coordinate by coordinate
  kMdpValue = 1 << 5,     // an upper bound on the value of every state
  kTable = 1 << 6,        // every probability, explicitly
  kPerturb = 1 << 7,      // how to move a particle a little
  kDrawing = 1 << 8,      // a picture of a state as text
  kCoordinates = 1 << 9,  // a state as plain numbers and back
  kScene = 1 << 10,       // what a program needs to draw a state
};

class Capabilities {
 public:
  constexpr Capabilities() = default;
  constexpr Capabilities(Capability c) : bits_(static_cast<uint32_t>(c)) {}
  constexpr Capabilities operator|(Capabilities other) const {
    return Capabilities(bits_ | other.bits_);
  }
  constexpr Capabilities without(Capabilities other) const {
    return Capabilities(bits_ & ~other.bits_);
  }
  constexpr bool has(Capabilities needed) const { return (bits_ & needed.bits_) == needed.bits_; }
  constexpr bool none() const { return bits_ == 0; }

 private:
  explicit constexpr Capabilities(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = 0;
};
constexpr Capabilities operator|(Capability a, Capability b) {
  return Capabilities(a) | Capabilities(b);
}

// "finite observations, a likelihood": for messages and listings.
std::string describe(Capabilities capabilities);

}  // namespace penumbra

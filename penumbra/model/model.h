// What a user writes: a plain struct with a scalar `step`. `adapt()` (adapt.h) turns it into the
// batched Pomdp that solvers see. Say `static_assert(penumbra::Model<MyProblem>);` below it, and a
// mistake shows up there and not inside a solver. docs/write-a-pomdp.md walks through an example;
// docs/simulation-standard.md says when a reward counts and what a terminal state is.
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "penumbra/base/features.h"
#include "penumbra/base/rng.h"
#include "penumbra/model/facts.h"
#include "penumbra/model/records.h"
#include "penumbra/model/scene.h"
#include "penumbra/model/tabular.h"

namespace penumbra {

// The result of one step: s', o, r.
template <class State, class Observation>
struct Outcome {
  State next;
  Observation seen;
  float reward;
};

// The action type of a model: int for a finite set, otherwise a struct of plain floats. An enum
// called Action only names some of the ints: others may be beyond its range.
namespace model_detail {
template <class M>
struct ActionOf {
  using type = int;
};
template <class M>
requires std::is_class_v<typename M::Action>
struct ActionOf<M> {
  using type = typename M::Action;
};
}  // namespace model_detail
template <class M>
using ActionOf = typename model_detail::ActionOf<M>::type;

// Records are copied, compared and saved as bytes, and lie in buffers of bytes.
template <class T>
concept CanBeCopiedAsBytes = std::is_trivially_copyable_v<T>;
template <class T>
concept IsNotOverAligned = alignof(T) <= kRecordAlignment;
template <class T>
concept IsRecord = CanBeCopiedAsBytes<T> && IsNotOverAligned<T>;

// Required. Each has a name of its own so that the compiler names the one that is missing.
template <class M>
concept HasState = requires {
  typename M::State;
}
&&IsRecord<typename M::State>;
template <class M>
concept HasAction = IsRecord<ActionOf<M>>;
template <class M>
concept HasObservation = requires {
  typename M::Observation;
}
&&IsRecord<typename M::Observation> && (std::same_as<typename M::Observation, int> ||
                                        sizeof(typename M::Observation) % sizeof(float) == 0);
template <class M>
concept HasFacts = requires(const M& m) {
  { m.facts() } -> std::convertible_to<Facts>;
};
template <class M>
concept HasSampleInitial = requires(const M& m, Rng& rng) {
  { m.sample_initial(rng) } -> std::same_as<typename M::State>;
};
template <class M>
concept HasIsTerminal = requires(const M& m, const typename M::State& s) {
  { m.is_terminal(s) } -> std::convertible_to<bool>;
};
template <class M>
concept HasStep = requires(const M& m, const typename M::State& s, ActionOf<M> a, Rng& rng) {
  { m.step(s, a, rng) } -> std::same_as<Outcome<typename M::State, typename M::Observation>>;
};

template <class M>
concept Model = HasState<M> && HasAction<M> && HasObservation<M> && HasFacts<M> &&
    HasSampleInitial<M> && HasIsTerminal<M> && HasStep<M>;

// Optional: each one opens more solvers.

// The input of a network: what features() declares, encode() fills in.
template <class M>
concept HasFeatures = requires(const M& m, const typename M::State& s, FeatureRow row) {
  { m.features() } -> std::convertible_to<FeatureLayout>;
  m.encode(s, row);
};
// O(o | s', a): a probability, or a density for continuous observations.
template <class M>
concept HasLikelihood = requires(const M& m, typename M::Observation o, ActionOf<M> a,
                                 const typename M::State& next) {
  { m.likelihood(o, a, next) } -> std::convertible_to<double>;
};
// P(O <= o | s', a) of a scalar continuous observation: gives clusters an exact likelihood.
template <class M>
concept HasScalarCumulative = requires(const M& m, float o, ActionOf<M> a,
                                       const typename M::State& next) {
  { m.cumulative(o, a, next) } -> std::convertible_to<double>;
};
// The same of each coordinate of a vector, where they are independent given the next state.
template <class M>
concept HasVectorCumulative = requires(const M& m, float o, int coordinate, ActionOf<M> a,
                                       const typename M::State& next) {
  { m.cumulative(o, coordinate, a, next) } -> std::convertible_to<double>;
};
template <class M>
concept HasCumulative = HasScalarCumulative<M> || HasVectorCumulative<M>;
// An upper bound on the value of a state: the optimum when the state is known, or above it.
template <class M>
concept HasMdpValue = requires(const M& m, const typename M::State& s) {
  { m.mdp_value(s) } -> std::convertible_to<double>;
};
// All probabilities explicitly; states are numbered by state_index.
template <class M>
concept HasTable = requires(const M& m, const typename M::State& s) {
  { m.table() } -> std::same_as<Tabular>;
  { m.state_index(s) } -> std::convertible_to<int>;
};
// A state close to this one, to revive a particle filter that has lost the truth.
template <class M>
concept HasPerturb = requires(const M& m, const typename M::State& s, Rng& rng) {
  { m.perturb(s, rng) } -> std::same_as<typename M::State>;
};
// A state as plain numbers and back, for state grids.
template <class M>
concept HasCoordinates = requires(const M& m, const typename M::State& s,
                                  std::array<float, M::kNumCoordinates> x) {
  { m.coordinates(s) } -> std::same_as<std::array<float, M::kNumCoordinates>>;
  { m.from_coordinates(x) } -> std::same_as<typename M::State>;
};
// Optional parts that this instance does not offer after all (a table that would be too large).
template <class M>
concept HasWithheld = requires(const M& m) {
  { m.withheld() } -> std::convertible_to<Capabilities>;
};
// How a program draws it: what never changes, and the numbers of a state.
template <class M>
concept HasScene = requires(const M& m, const typename M::State& s, std::span<float> out) {
  { m.scene() } -> std::same_as<Scene>;
  m.scene_values(s, out);
};
// A picture of a state as text, and a state or observation in one line.
template <class M>
concept HasDraw = requires(const M& m, const typename M::State& s) {
  { m.draw(s) } -> std::convertible_to<std::string>;
};
template <class M>
concept HasDescribeState = requires(const M& m, const typename M::State& s) {
  { m.describe_state(s) } -> std::convertible_to<std::string>;
};

}  // namespace penumbra

// adapt(): joins what a user writes (model.h) to what solvers see (pomdp.h). The batch loops with
// the user's `step` inlined are here, and so is every cast from bytes to the user's types.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "penumbra/model/model.h"
#include "penumbra/model/padding.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/model/unsound.h"

namespace penumbra {

template <Model M>
class Adapted final : public Pomdp {
 public:
  using State = typename M::State;
  using Observation = typename M::Observation;
  using Action = ActionOf<M>;

  explicit Adapted(M model) : model_(std::move(model)) {
    Capabilities can;
    if constexpr (HasFeatures<M>) can = can | Capability::kFeatures;
    if constexpr (HasLikelihood<M>) can = can | Capability::kLikelihood;
    if constexpr (HasCumulative<M>) can = can | Capability::kCumulative;
    if constexpr (HasMdpValue<M>) can = can | Capability::kMdpValue;
    if constexpr (HasTable<M>) can = can | Capability::kTable;
    if constexpr (HasPerturb<M>) can = can | Capability::kPerturb;
    if constexpr (HasCoordinates<M>) can = can | Capability::kCoordinates;
    if constexpr (HasScene<M>) can = can | Capability::kScene;
    if constexpr (HasDraw<M>) can = can | Capability::kDrawing;
    if constexpr (HasWithheld<M>) can = can.without(model_.withheld());
    check_observation_type(model_.facts(),
                           std::is_integral_v<Observation> || std::is_enum_v<Observation>);
    check_action_type(model_.facts(), std::is_same_v<Action, int>);
    set_facts(model_.facts(), can, sizeof(State), sizeof(Observation), sizeof(Action));
  }

  const M& model() const { return model_; }

  void sample_initial(Streams streams, Records out) const override {
    try {
      for (size_t i = 0; i < out.count; ++i) {
        Rng rng = streams.rng(i);
        put(&out.as<State>(i), model_.sample_initial(rng));
      }
    } catch (...) {
      rethrow_named(*this, "sample_initial", nullptr, nullptr);
    }
  }

  void is_terminal(ConstRecords state, std::span<uint8_t> out) const override {
    size_t i = 0;
    try {
      for (; i < state.count; ++i) out[i] = model_.is_terminal(state.as<State>(i));
    } catch (...) {
      rethrow_named(*this, "is_terminal", nullptr, state.at(i));
    }
  }

  void step(ConstRecords state, ConstRecords action, Streams streams,
            const StepResults& out) const override {
    // Plain pointers: the stride is known here, and stores cannot change them.
    const State* from = reinterpret_cast<const State*>(state.data);
    const Action* act = reinterpret_cast<const Action*>(action.data);
    State* next = reinterpret_cast<State*>(out.next.data);
    Observation* seen = reinterpret_cast<Observation*>(out.seen.data);
    float* reward = out.reward.data();
    uint8_t* ended = out.ended.data();
    const size_t count = state.count;
    size_t i = 0;
    try {
      for (; i < count; ++i) {
        const State s = from[i];
        if (model_.is_terminal(s)) {
          put(next + i, s);
          put(seen + i, Observation{});
          reward[i] = 0;
          ended[i] = 1;
          continue;
        }
        Rng rng = streams.rng(i);
        const Outcome<State, Observation> o = model_.step(s, act[i], rng);
        put(next + i, o.next);
        put(seen + i, o.seen);
        reward[i] = o.reward;
        ended[i] = model_.is_terminal(o.next);
      }
    } catch (...) {
      rethrow_named(*this, "step", action.at(i), state.at(i));
    }
  }

  FeatureLayout features() const override {
    if constexpr (HasFeatures<M>) return model_.features();
    return Pomdp::features();
  }

  void encode(ConstRecords state, FeatureBatch& out, int first_row) const override {
    if constexpr (HasFeatures<M>) {
      size_t i = 0;
      try {
        for (; i < state.count; ++i)
          model_.encode(state.as<State>(i), out.row(first_row + static_cast<int>(i)));
      } catch (...) {
        rethrow_named(*this, "encode", nullptr, state.at(i));
      }
    } else {
      Pomdp::encode(state, out, first_row);
    }
  }

  void likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                  std::span<double> out) const override {
    if constexpr (HasLikelihood<M>) {
      const Observation o = *reinterpret_cast<const Observation*>(seen);
      const Action a = *reinterpret_cast<const Action*>(action);
      size_t i = 0;
      try {
        for (; i < next.count; ++i) out[i] = model_.likelihood(o, a, next.as<State>(i));
      } catch (...) {
        rethrow_named(*this, "likelihood", action, next.at(i));
      }
    } else {
      Pomdp::likelihood(seen, action, next, out);
    }
  }

  void cumulative(float bound, int coordinate, const std::byte* action, ConstRecords next,
                  std::span<double> out) const override {
    if constexpr (HasVectorCumulative<M>) {
      const Action a = *reinterpret_cast<const Action*>(action);
      for (size_t i = 0; i < next.count; ++i)
        out[i] = model_.cumulative(bound, coordinate, a, next.as<State>(i));
    } else if constexpr (HasScalarCumulative<M>) {
      const Action a = *reinterpret_cast<const Action*>(action);
      for (size_t i = 0; i < next.count; ++i)
        out[i] = model_.cumulative(bound, a, next.as<State>(i));
    } else {
      Pomdp::cumulative(bound, coordinate, action, next, out);
    }
  }

  void mdp_value(ConstRecords state, std::span<double> out) const override {
    if constexpr (HasMdpValue<M>) {
      size_t i = 0;
      try {
        for (; i < state.count; ++i) out[i] = model_.mdp_value(state.as<State>(i));
      } catch (...) {
        rethrow_named(*this, "mdp_value", nullptr, state.at(i));
      }
    } else {
      Pomdp::mdp_value(state, out);
    }
  }

  Tabular table() const override {
    if constexpr (HasTable<M>) return model_.table();
    return Pomdp::table();
  }
  int table_states() const override {
    if constexpr (requires { model_.table_states(); }) return model_.table_states();
    return Pomdp::table_states();
  }

  void state_index(ConstRecords state, std::span<int> out) const override {
    if constexpr (HasTable<M>) {
      for (size_t i = 0; i < state.count; ++i) out[i] = model_.state_index(state.as<State>(i));
    } else {
      Pomdp::state_index(state, out);
    }
  }

  void perturb(ConstRecords state, Streams streams, Records out) const override {
    if constexpr (HasPerturb<M>) {
      for (size_t i = 0; i < state.count; ++i) {
        Rng rng = streams.rng(i);
        put(&out.as<State>(i), model_.perturb(state.as<State>(i), rng));
      }
    } else {
      Pomdp::perturb(state, streams, out);
    }
  }

  int num_coordinates() const override {
    if constexpr (HasCoordinates<M>) return M::kNumCoordinates;
    return Pomdp::num_coordinates();
  }

  void coordinates(ConstRecords state, std::span<float> out) const override {
    if constexpr (HasCoordinates<M>) {
      for (size_t i = 0; i < state.count; ++i) {
        const auto x = model_.coordinates(state.as<State>(i));
        std::copy(x.begin(), x.end(), out.begin() + i * x.size());
      }
    } else {
      Pomdp::coordinates(state, out);
    }
  }

  void from_coordinates(std::span<const float> values, Records out) const override {
    if constexpr (HasCoordinates<M>) {
      for (size_t i = 0; i < out.count; ++i) {
        std::array<float, M::kNumCoordinates> x;
        std::copy_n(values.begin() + i * x.size(), x.size(), x.begin());
        put(&out.as<State>(i), model_.from_coordinates(x));
      }
    } else {
      Pomdp::from_coordinates(values, out);
    }
  }

  Scene scene() const override {
    if constexpr (HasScene<M>) return model_.scene();
    return Pomdp::scene();
  }

  void scene_values(ConstRecords state, std::span<float> out) const override {
    if constexpr (HasScene<M>) {
      const size_t n = state.count ? out.size() / state.count : 0;
      for (size_t i = 0; i < state.count; ++i)
        model_.scene_values(state.as<State>(i), out.subspan(i * n, n));
    } else {
      Pomdp::scene_values(state, out);
    }
  }

  std::string draw(const std::byte* state) const override {
    if constexpr (HasDraw<M>) return model_.draw(*reinterpret_cast<const State*>(state));
    return Pomdp::draw(state);
  }

  std::string describe_state(const std::byte* state) const override {
    if constexpr (HasDescribeState<M>)
      return model_.describe_state(*reinterpret_cast<const State*>(state));
    return Pomdp::describe_state(state);
  }

 private:
  // Padding is cleared where the record lies (an assignment need not copy it), so that equal
  // values are equal records.
  template <class T>
  static void put(T* out, const T& value) {
    *out = value;
    clear_padding(out);
  }

  M model_;
};

template <Model M>
std::unique_ptr<Pomdp> adapt(M model) {
  return std::make_unique<Adapted<M>>(std::move(model));
}

}  // namespace penumbra

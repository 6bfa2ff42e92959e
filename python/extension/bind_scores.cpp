// Scores, episodes and beliefs.
#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/belief/particle_filter.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/evaluate/simulate.h"
#include "penumbra/policy/classifying.h"
#include "penumbra/runs/score_json.h"
#include "python/extension/shared.h"

namespace penumbra::python {
namespace {

std::string score_text(const Score& score) {
  Json out;
  add_score(out, score);
  return out.dump();
}

EvaluateOptions evaluate_options(uint64_t episodes, uint64_t seed, int max_steps,
                                 const Stop& stop) {
  EvaluateOptions how;
  how.episodes = episodes;
  how.seed = seed;
  how.max_steps = max_steps;
  how.cancelled = stop;
  return how;
}

py::tuple evaluate_player(const Player& player, uint64_t episodes, uint64_t seed, int max_steps,
                          int threads, bool own_signals) {
  Interruptible guard(own_signals);
  Score score;
  {
    py::gil_scoped_release work;
    ThreadPool pool(threads);
    score = evaluate(*player.model, *player.policy,
                     evaluate_options(episodes, seed, max_steps, guard.stop()), pool);
  }
  guard.rethrow();
  return py::make_tuple(score_text(score), guard.interrupted());
}

// On what the other is played on: the same, or what it sees in groups.
Player beside(const Player& player, const Player& other) {
  const auto* groups = dynamic_cast<const Classified*>(player.model.get());
  if (!groups || &groups->inner() != other.model.get()) return player;
  return {other.model, classifying(player.policy, *groups)};
}

// Both must play on the same model.
py::tuple compare_players(const Player& first, const Player& second, uint64_t episodes,
                          uint64_t seed, int max_steps, int threads, bool own_signals) {
  const Player a = beside(first, second), b = beside(second, first);
  if (a.model != b.model)
    throw Error("the two policies see other observations: one needs clusters and the other not");
  Interruptible guard(own_signals);
  Comparison c;
  {
    py::gil_scoped_release work;
    ThreadPool pool(threads);
    c = compare(*a.model, *a.policy, *b.policy,
                evaluate_options(episodes, seed, max_steps, guard.stop()), pool);
  }
  guard.rethrow();
  Json difference;
  add_estimate(difference, c.difference);
  return py::make_tuple(score_text(c.a), score_text(c.b), difference.dump(), guard.interrupted());
}

py::dict trace_player(const Player& player, uint64_t seed, uint64_t episode, int max_steps) {
  std::vector<TraceStep> steps;
  {
    py::gil_scoped_release work;
    const RngKey key = RngKey::from_seed(seed).fold("evaluate");
    steps = trace(*player.model, *player.policy, key, episode, max_steps);
  }
  std::vector<std::byte> states, actions, seen;
  std::vector<float> rewards;
  auto append = [](std::vector<std::byte>& to, const std::vector<std::byte>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const TraceStep& s : steps) {
    append(states, s.state);
    append(actions, s.action);
    append(seen, s.seen);
    rewards.push_back(s.reward);
  }
  if (!steps.empty()) append(states, steps.back().next);
  py::dict out;
  out["states"] = to_bytearray(states);
  out["actions"] = to_bytearray(actions);
  out["observations"] = to_bytearray(seen);
  out["rewards"] = to_bytearray(rewards);
  out["ended"] = !steps.empty() && steps.back().ended;
  return out;
}

// A belief by particles that goes along with an episode.
class BeliefHandle {
 public:
  BeliefHandle(std::shared_ptr<ModelHandle> model, int particles, uint64_t seed)
      : held_(std::move(model)),
        model_(held_->model),
        key_(RngKey::from_seed(seed).fold("python belief")) {
    FilterOptions how;
    how.num_particles = particles;
    if (!model_->has(Capability::kLikelihood) && model_->facts().num_observations == 0)
      model_ = held_->finite();
    filter_ = std::make_unique<ParticleFilter>(*model_, how);
    particles_ = filter_->initial(key_);
  }
  FilterReport update(const py::buffer& action, const py::buffer& seen) {
    const ConstRecords a = records_of(action, model_->action_size(), "the action");
    const ConstRecords o = records_of(seen, model_->seen_size(), "the observation");
    if (a.count != 1 || o.count != 1)
      throw Error("a belief is updated by one action and observation");
    py::gil_scoped_release work;
    return filter_->update(particles_, a.data, o.data, key_.fold("update").fold(++updates_));
  }
  py::bytearray states() const {
    return to_bytearray(particles_.states.view().data,
                        particles_.count() * particles_.states.record_size());
  }
  py::bytearray weights() const {
    std::vector<double> out(particles_.count());
    for (size_t i = 0; i < out.size(); ++i) out[i] = particles_.weight(i);
    return to_bytearray(out);
  }
  size_t count() const { return particles_.count(); }
  bool is_finite() const { return model_->facts().num_observations > 0; }

 private:
  std::shared_ptr<ModelHandle> held_;
  std::shared_ptr<const Pomdp> model_;
  RngKey key_;
  std::unique_ptr<ParticleFilter> filter_;
  Particles particles_;
  uint64_t updates_ = 0;
};

}  // namespace

void bind_scores(py::module_& m) {
  m.def("evaluate", evaluate_player, py::arg("player"), py::arg("episodes"), py::arg("seed"),
        py::arg("max_steps"), py::arg("threads"), py::arg("own_signals"));
  m.def("compare", compare_players, py::arg("a"), py::arg("b"), py::arg("episodes"),
        py::arg("seed"), py::arg("max_steps"), py::arg("threads"), py::arg("own_signals"));
  m.def("trace", trace_player, py::arg("player"), py::arg("seed"), py::arg("episode"),
        py::arg("max_steps"));
  py::class_<BeliefHandle>(m, "Belief")
      .def(py::init([](std::shared_ptr<ModelHandle> model, int particles, uint64_t seed) {
             py::gil_scoped_release work;
             return std::make_unique<BeliefHandle>(std::move(model), particles, seed);
           }),
           py::arg("model"), py::arg("particles"), py::arg("seed"))
      .def(
          "update",
          [](BeliefHandle& b, const py::buffer& action, const py::buffer& seen) {
            const FilterReport r = b.update(action, seen);
            return py::make_tuple(r.evidence, r.effective_size, r.resampled, r.revived);
          },
          py::arg("action"), py::arg("seen"))
      .def("states", &BeliefHandle::states)
      .def("weights", &BeliefHandle::weights)
      .def("is_finite", &BeliefHandle::is_finite)
      .def("__len__", &BeliefHandle::count);
}

}  // namespace penumbra::python

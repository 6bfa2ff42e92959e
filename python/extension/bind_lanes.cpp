// Episodes that somebody else steps through, many at once: the environments of penumbra.gym. Lane i
// plays the episodes first + i, first + i + N, ... of `penumbra evaluate --seed`, drawing from the
// same streams, so that they are the same episodes.
#include <fmt/format.h>

#include <algorithm>

#include "penumbra/base/error.h"
#include "python/extension/shared.h"

namespace penumbra::python {
namespace {

class EpisodeLanes {
 public:
  EpisodeLanes(std::shared_ptr<ModelHandle> handle, bool finite, size_t lanes)
      : handle_(std::move(handle)),
        model_(finite ? handle_->finite() : handle_->model),
        state_(model_->state_size(), lanes),
        lane_(lanes),
        order_(lanes),
        buffers_(*model_, lanes),
        batch_state_(model_->state_size(), lanes),
        batch_action_(model_->action_size(), lanes),
        batch_id_(lanes) {
    seed_all(1);
  }

  size_t count() const { return lane_.size(); }
  const Pomdp& model() const { return *model_; }

  // From the first episode on, of one seed for all, or one each.
  void seed_all(uint64_t seed) {
    for (size_t i = 0; i < count(); ++i) begin_series(i, seed, i, count());
  }
  void seed_each(const std::vector<uint64_t>& seeds) {
    if (seeds.size() != count())
      throw Error(fmt::format("{} seeds for {} environments", seeds.size(), count()));
    for (size_t i = 0; i < count(); ++i) begin_series(i, seeds[i], 0, 1);
  }

  // Starts the next episode of the lanes in `mask` (all: empty). Episodes that begin in a terminal
  // state have nothing to do and are left out.
  void reset(std::span<const uint8_t> mask) {
    for (size_t i = 0; i < count(); ++i)
      if (mask.empty() || mask[i]) {
        Lane& lane = lane_[i];
        uint8_t ended = 1;
        for (int tries = 0; ended; ++tries) {
          if (tries == 1000) throw Error("every episode begins in a terminal state");
          lane.episode = lane.next_episode;
          lane.next_episode += lane.stride;
          model_->sample_initial({lane.initial, lane.episode}, state_.sub(i, 1));
          model_->is_terminal(state_.sub(i, 1), {&ended, 1});
        }
        lane.t = 0;
      }
  }

  // Lanes in `skip` stay as they are, with reward 0 and an observation of zeros.
  void step(ConstRecords action, std::span<const uint8_t> skip, Records seen,
            std::span<double> reward, std::span<uint8_t> ended) {
    if (model_->lanes_per_call() <= 256)
      step_each(action, skip, seen, reward, ended);
    else
      step_groups(action, skip, seen, reward, ended);
  }

  uint64_t episode(size_t i) const { return lane_[i].episode; }
  ConstRecords states() const { return state_.view(); }

 private:
  struct Lane {
    RngKey initial, step;
    uint64_t episode = 0, next_episode = 0, stride = 1;
    int t = 0;
  };

  void begin_series(size_t i, uint64_t seed, uint64_t first, uint64_t stride) {
    const RngKey key = RngKey::from_seed(seed).fold("evaluate");
    lane_[i] = {key.fold("initial"), key.fold("step"), first, first, stride, 0};
  }

  static void leave(size_t i, Records seen, std::span<double> reward, std::span<uint8_t> ended) {
    std::memset(seen.at(i), 0, seen.size);
    reward[i] = 0;
    ended[i] = 0;
  }

  // A call costs next to nothing here.
  void step_each(ConstRecords action, std::span<const uint8_t> skip, Records seen,
                 std::span<double> reward, std::span<uint8_t> ended) {
    for (size_t i = 0; i < count(); ++i) {
      if (!skip.empty() && skip[i]) {
        leave(i, seen, reward, ended);
        continue;
      }
      Lane& lane = lane_[i];
      float r;
      model_->step(state_.sub(i, 1), action.sub(i, 1), {lane.step.fold(lane.t), lane.episode},
                   {state_.sub(i, 1), seen.sub(i, 1), {&r, 1}, ended.subspan(i, 1)});
      reward[i] = r;
      ++lane.t;
    }
  }

  // Lanes whose streams have the same key go in one call.
  void step_groups(ConstRecords action, std::span<const uint8_t> skip, Records seen,
                   std::span<double> reward, std::span<uint8_t> ended) {
    keys_.resize(count());
    size_t live = 0;
    for (size_t i = 0; i < count(); ++i) {
      if (!skip.empty() && skip[i]) {
        leave(i, seen, reward, ended);
        continue;
      }
      keys_[i] = lane_[i].step.fold(lane_[i].t).value;
      order_[live++] = i;
    }
    std::sort(order_.begin(), order_.begin() + live, [&](size_t a, size_t b) {
      return keys_[a] != keys_[b] ? keys_[a] < keys_[b] : a < b;
    });
    for (size_t begin = 0, end; begin < live; begin = end) {
      for (end = begin; end < live && keys_[order_[end]] == keys_[order_[begin]]; ++end) {
        const size_t i = order_[end], k = end - begin;
        batch_state_.copy_from(k, state_.at(i));
        batch_action_.copy_from(k, action.at(i));
        batch_id_[k] = lane_[i].episode;
      }
      const size_t n = end - begin;
      const StepResults out = buffers_.results(n);
      model_->step(batch_state_.sub(0, n), ConstRecords(batch_action_.sub(0, n)),
                   {RngKey{keys_[order_[begin]]}, 0, batch_id_.data()}, out);
      for (size_t k = 0; k < n; ++k) {
        const size_t i = order_[begin + k];
        state_.copy_from(i, out.next.at(k));
        std::memcpy(seen.at(i), out.seen.at(k), seen.size);
        reward[i] = out.reward[k];
        ended[i] = out.ended[k];
        ++lane_[i].t;
      }
    }
  }

  std::shared_ptr<ModelHandle> handle_;
  std::shared_ptr<const Pomdp> model_;
  RecordBuffer state_;
  std::vector<Lane> lane_;
  std::vector<size_t> order_;
  StepBuffers buffers_;
  RecordBuffer batch_state_, batch_action_;
  std::vector<uint64_t> batch_id_, keys_;
};

std::span<const uint8_t> mask_of(const py::object& mask, size_t lanes) {
  if (mask.is_none()) return {};
  const auto values = values_of<uint8_t>(mask.cast<py::buffer>(), "a mask");
  if (values.size() != lanes)
    throw Error(fmt::format("a mask of {} for {} lanes", values.size(), lanes));
  return values;
}

void check_actions(const Pomdp& model, ConstRecords action, size_t lanes) {
  if (action.count != lanes)
    throw Error(fmt::format("{} actions for {} environments", action.count, lanes));
  if (const int n = model.facts().num_actions)
    for (size_t i = 0; i < lanes; ++i)
      if (const int a = action.as<int>(i); a < 0 || a >= n)
        throw Error(fmt::format("there is no action {}: they are numbered 0 to {}", a, n - 1));
}

void step_lanes(EpisodeLanes& lanes, const py::buffer& action, const py::object& skip,
                const py::buffer& seen, const py::buffer& reward, const py::buffer& ended) {
  const Pomdp& model = lanes.model();
  const ConstRecords acts = records_of(action, model.action_size(), "actions");
  check_actions(model, acts, lanes.count());
  const Records out = writable_records_of(seen, model.seen_size(), "observations");
  const std::span<double> rewards = writable_of<double>(reward, "rewards");
  const std::span<uint8_t> ends = writable_of<uint8_t>(ended, "ended");
  const std::span<const uint8_t> skipped = mask_of(skip, lanes.count());
  if (out.count != lanes.count() || rewards.size() != lanes.count() || ends.size() != lanes.count())
    throw Error("the arrays for results have another length than the lanes");
  py::gil_scoped_release work;
  lanes.step(acts, skipped, out, rewards, ends);
}

// One lane of finite actions and observations, without arrays: (observation, reward, ended).
py::tuple step_one(EpisodeLanes& lanes, int action) {
  const Pomdp& model = lanes.model();
  if (model.facts().num_actions == 0 || model.facts().num_observations == 0)
    throw Error("step_one is for finite actions and observations");
  check_actions(model, {reinterpret_cast<const std::byte*>(&action), sizeof action, 1}, 1);
  int seen = 0;
  double reward = 0;
  uint8_t ended = 0;
  lanes.step({reinterpret_cast<const std::byte*>(&action), sizeof action, 1}, {},
             {reinterpret_cast<std::byte*>(&seen), sizeof seen, 1}, {&reward, 1}, {&ended, 1});
  return py::make_tuple(seen, reward, ended != 0);
}

// The same with an observation of floats, as memory.
py::tuple step_one_floats(EpisodeLanes& lanes, int action) {
  const Pomdp& model = lanes.model();
  if (model.facts().num_actions == 0) throw Error("step_one_floats is for finite actions");
  const ConstRecords act{reinterpret_cast<const std::byte*>(&action), sizeof action, 1};
  check_actions(model, act, 1);
  py::bytearray seen = to_bytearray(nullptr, model.seen_size());
  double reward = 0;
  uint8_t ended = 0;
  auto* memory = reinterpret_cast<std::byte*>(PyByteArray_AS_STRING(seen.ptr()));
  lanes.step(act, {}, {memory, model.seen_size(), 1}, {&reward, 1}, {&ended, 1});
  return py::make_tuple(seen, reward, ended != 0);
}

}  // namespace

void bind_lanes(py::module_& m) {
  py::class_<EpisodeLanes>(m, "Lanes")
      .def(py::init([](std::shared_ptr<ModelHandle> model, bool finite, size_t lanes) {
             py::gil_scoped_release work;
             return std::make_unique<EpisodeLanes>(std::move(model), finite, lanes);
           }),
           py::arg("model"), py::arg("finite"), py::arg("lanes"))
      .def("seed_all", &EpisodeLanes::seed_all, py::arg("seed"))
      .def("seed_each", &EpisodeLanes::seed_each, py::arg("seeds"))
      .def(
          "reset",
          [](EpisodeLanes& lanes, const py::object& mask) {
            const std::span<const uint8_t> chosen = mask_of(mask, lanes.count());
            py::gil_scoped_release work;
            lanes.reset(chosen);
          },
          py::arg("mask"))
      .def("step", step_lanes, py::arg("action"), py::arg("skip"), py::arg("seen"),
           py::arg("reward"), py::arg("ended"))
      .def("step_one", step_one, py::arg("action"))
      .def("step_one_floats", step_one_floats, py::arg("action"))
      .def("states",
           [](const EpisodeLanes& lanes) {
             const ConstRecords s = lanes.states();
             return to_bytearray(s.data, s.size * s.count);
           })
      .def("episode", &EpisodeLanes::episode, py::arg("lane"))
      .def("__len__", &EpisodeLanes::count);
}

}  // namespace penumbra::python

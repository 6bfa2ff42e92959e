#include "python/extension/python_pomdp.h"

#include <fmt/format.h>

#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/model/cluster_observations.h"
#include "python/extension/views.h"

namespace penumbra::python {
namespace {

Capabilities capabilities_of(const py::object& names) {
  static constexpr std::pair<const char*, Capability> kNames[] = {
      {"features", Capability::kFeatures},
      {"likelihood", Capability::kLikelihood},
      {"cumulative", Capability::kCumulative},
      {"mdp_value", Capability::kMdpValue},
      {"table", Capability::kTable},
      {"perturb", Capability::kPerturb},
      {"drawing", Capability::kDrawing},
      {"coordinates", Capability::kCoordinates},
      {"scene", Capability::kScene}};
  Capabilities can;
  for (const auto& name : names)
    for (const auto& [word, capability] : kNames)
      if (name.cast<std::string>() == word) can = can | capability;
  return can;
}

bool all_the_same(ConstRecords action) {
  return std::memcmp(action.data, action.at(1), action.size * (action.count - 1)) == 0;
}

SparseRows sparse_rows(const py::handle& part) {
  SparseRows rows;
  const auto t = part.cast<py::tuple>();
  const auto start = values_of<int64_t>(t[0].cast<py::buffer>(), "table");
  rows.start.assign(start.begin(), start.end());
  const auto column = values_of<int64_t>(t[1].cast<py::buffer>(), "table");
  const auto value = values_of<double>(t[2].cast<py::buffer>(), "table");
  for (size_t i = 0; i < column.size(); ++i) rows.add(static_cast<int>(column[i]), value[i]);
  return rows;
}

}  // namespace

PythonPomdp::PythonPomdp(HeldObject adapter) : adapter_(std::move(adapter)) {
  static std::atomic<uint64_t> made{0};
  serial_ = ++made;
  const py::object& a = *adapter_;
  Facts f;
  f.name = a.attr("text").cast<std::string>();
  f.discount = a.attr("discount").cast<double>();
  f.num_actions = a.attr("num_actions").cast<int>();
  f.num_observations = a.attr("num_observations").cast<int>();
  f.min_reward = a.attr("min_reward").cast<double>();
  f.max_reward = a.attr("max_reward").cast<double>();
  f.action_names = a.attr("action_names").cast<std::vector<std::string>>();
  f.observation_names = a.attr("observation_names").cast<std::vector<std::string>>();
  f.action_low = a.attr("action_low").cast<std::vector<float>>();
  f.action_high = a.attr("action_high").cast<std::vector<float>>();
  lanes_ = a.attr("lanes_per_call").cast<size_t>();
  has_terminal_ = a.attr("has_terminal").cast<bool>();
  coordinates_ = a.attr("num_coordinates").cast<int>();
  num_states_ = a.attr("num_states").cast<int>();
  has_step_action_ = a.attr("has_step_action").cast<bool>();
  has_likelihoods_ = a.attr("has_likelihoods").cast<bool>();
  features_.categories = a.attr("feature_categories").cast<std::vector<int>>();
  features_.num_bits = a.attr("feature_bits").cast<int>();
  features_.num_dense = a.attr("feature_dense").cast<int>();
  const auto size = [&](const char* name) { return a.attr(name).cast<size_t>(); };
  set_facts(std::move(f), capabilities_of(a.attr("capabilities")), size("state_size"),
            size("seen_size"), size("action_size"));
}

void PythonPomdp::sample_initial(Streams streams, Records out) const {
  if (out.count == 0) return;
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("sample_initial")(lane_rng(streams, out.count), views.write(out));
}

void PythonPomdp::is_terminal(ConstRecords state, std::span<uint8_t> out) const {
  if (!has_terminal_) return std::fill_n(out.begin(), state.count, uint8_t{0}), void();
  if (state.count == 0) return;
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("is_terminal")(views.read(state), views.write(out.first(state.count)));
}

void PythonPomdp::step(ConstRecords state, ConstRecords action, Streams streams,
                       const StepResults& out) const {
  if (state.count == 0) return;
  py::gil_scoped_acquire gil;
  Views views;
  const size_t n = state.count;
  // Most loops of solvers try one action at a time.
  py::object actions;
  if (has_step_action_ && all_the_same(action))
    actions = py::int_(action.as<int>(0));
  else
    actions = views.read(action);
  adapter_->attr("step")(views.read(state), actions, lane_rng(streams, n), views.write(out.next),
                         views.write(out.seen), views.write(out.reward.first(n)),
                         views.write(out.ended.first(n)));
  check_results(out, n);
}

void PythonPomdp::check_results(const StepResults& out, size_t n) const {
  auto wrong = [&](const std::string& what) {
    return Error(fmt::format("{}.step: {}", adapter_->attr("owner").cast<std::string>(), what));
  };
  const int observations = facts().num_observations;
  for (size_t i = 0; i < n; ++i) {
    if (!std::isfinite(out.reward[i]))
      throw wrong(
          fmt::format("the reward of lane {} is {}, expected a finite number", i, out.reward[i]));
    if (const int seen = observations ? index_of(out.seen, i) : 0;
        observations && (seen < 0 || seen >= observations))
      throw wrong(fmt::format("the observation of lane {} is {}, expected 0 to {}", i, seen,
                              observations - 1));
  }
  if (observations) return;
  const auto* value = reinterpret_cast<const float*>(out.seen.data);
  for (size_t i = 0; i < n * out.seen.size / sizeof(float); ++i)
    if (!std::isfinite(value[i]))
      throw wrong(fmt::format("the observation of lane {} is {}, expected finite numbers",
                              i * sizeof(float) / out.seen.size, value[i]));
}

FeatureLayout PythonPomdp::features() const {
  if (!has(Capability::kFeatures)) lacks(Capability::kFeatures);
  return features_;
}

void PythonPomdp::encode(ConstRecords state, FeatureBatch& out, int first_row) const {
  if (!has(Capability::kFeatures)) lacks(Capability::kFeatures);
  if (state.count == 0) return;
  const size_t n = state.count;
  const FeatureRow first = out.row(first_row);  // parts are contiguous and row-major
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("encode")(views.read(state),
                           views.write(first.category.data(), n * first.category.size_bytes()),
                           views.write(first.bits.data(), n * first.bits.size_bytes()),
                           views.write(first.dense.data(), n * first.dense.size_bytes()));
  const size_t blocks = features_.categories.size();
  for (size_t i = 0; i < n * blocks; ++i)
    if (const int c = first.category.data()[i]; c < 0 || c >= features_.categories[i % blocks])
      throw Error(fmt::format("{}.encode: category {} of lane {} is {}, expected 0 to {}",
                              adapter_->attr("owner").cast<std::string>(), i % blocks, i / blocks,
                              c, features_.categories[i % blocks] - 1));
}

void PythonPomdp::likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                             std::span<double> out) const {
  if (!has(Capability::kLikelihood)) lacks(Capability::kLikelihood);
  if (next.count == 0) return;
  if (has_likelihoods_) {
    const std::vector<double>& all = all_likelihoods(action, next);
    const auto observations = static_cast<size_t>(facts().num_observations);
    const auto o = static_cast<size_t>(index_of({seen, sizeof(int), 1}, 0));
    for (size_t i = 0; i < next.count; ++i) out[i] = all[i * observations + o];
    return;
  }
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("likelihood")(views.read(seen, seen_size()), views.read(action, action_size()),
                               views.read(next), views.write(out.first(next.count)));
}

const std::vector<double>& PythonPomdp::all_likelihoods(const std::byte* action,
                                                        ConstRecords next) const {
  struct Kept {
    uint64_t serial = 0;
    std::vector<std::byte> asked;
    std::vector<double> answer;
  };
  thread_local Kept kept;
  const size_t size = next.size * next.count;
  const bool same = kept.serial == serial_ && kept.asked.size() == action_size() + size &&
                    std::memcmp(kept.asked.data(), action, action_size()) == 0 &&
                    std::memcmp(kept.asked.data() + action_size(), next.data, size) == 0;
  if (same) return kept.answer;
  kept.serial = 0;  // a failure leaves nothing behind
  kept.answer.resize(next.count * static_cast<size_t>(facts().num_observations));
  {
    py::gil_scoped_acquire gil;
    Views views;
    adapter_->attr("likelihoods")(views.read(action, action_size()), views.read(next),
                                  views.write(std::span<double>(kept.answer)));
  }
  kept.asked.assign(action, action + action_size());
  kept.asked.insert(kept.asked.end(), next.data, next.data + size);
  kept.serial = serial_;
  return kept.answer;
}

void PythonPomdp::cumulative(float bound, int coordinate, const std::byte* action,
                             ConstRecords next, std::span<double> out) const {
  if (!has(Capability::kCumulative)) lacks(Capability::kCumulative);
  if (next.count == 0) return;
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("cumulative")(bound, coordinate, views.read(action, action_size()),
                               views.read(next), views.write(out.first(next.count)));
}

void PythonPomdp::mdp_value(ConstRecords state, std::span<double> out) const {
  if (!has(Capability::kMdpValue)) lacks(Capability::kMdpValue);
  if (state.count == 0) return;
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("mdp_value")(views.read(state), views.write(out.first(state.count)));
}

Tabular PythonPomdp::table() const {
  if (!has(Capability::kTable)) lacks(Capability::kTable);
  py::gil_scoped_acquire gil;
  const py::dict parts = adapter_->attr("table")();
  Tabular t;
  t.name = facts().name;
  t.discount = facts().discount;
  t.num_states = parts["num_states"].cast<int>();
  t.num_actions = facts().num_actions;
  t.num_observations = facts().num_observations;
  for (const auto& part : parts["transition"]) t.transition.push_back(sparse_rows(part));
  for (const auto& part : parts["observation"]) t.observation.push_back(sparse_rows(part));
  for (const auto& part : parts["reward"]) {
    const auto row = values_of<double>(part.cast<py::buffer>(), "table");
    t.reward.emplace_back(row.begin(), row.end());
  }
  const auto start = values_of<double>(parts["start"].cast<py::buffer>(), "table");
  t.start.assign(start.begin(), start.end());
  const auto terminal = values_of<uint8_t>(parts["terminal"].cast<py::buffer>(), "table");
  t.terminal.assign(terminal.begin(), terminal.end());
  t.action_names = facts().action_names;
  t.observation_names = facts().observation_names;
  return t;
}

void PythonPomdp::state_index(ConstRecords state, std::span<int> out) const {
  if (!has(Capability::kTable)) lacks(Capability::kTable);
  if (state.count == 0) return;
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("state_index")(views.read(state), views.write(out.first(state.count)));
  const int states = num_states_;
  for (size_t i = 0; i < state.count; ++i)
    if (out[i] < 0 || (states > 0 && out[i] >= states))
      throw Error(fmt::format("{}.state_index: {} of lane {}, expected 0 to {}",
                              adapter_->attr("owner").cast<std::string>(), out[i], i, states - 1));
}

void PythonPomdp::perturb(ConstRecords state, Streams streams, Records out) const {
  if (!has(Capability::kPerturb)) lacks(Capability::kPerturb);
  if (state.count == 0) return;
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("perturb")(views.read(state), lane_rng(streams, state.count), views.write(out));
}

int PythonPomdp::num_coordinates() const {
  if (!has(Capability::kCoordinates)) lacks(Capability::kCoordinates);
  return coordinates_;
}

void PythonPomdp::coordinates(ConstRecords state, std::span<float> out) const {
  if (!has(Capability::kCoordinates)) lacks(Capability::kCoordinates);
  if (state.count == 0) return;
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("coordinates")(views.read(state),
                                views.write(out.first(state.count * coordinates_)));
}

void PythonPomdp::from_coordinates(std::span<const float> values, Records out) const {
  if (!has(Capability::kCoordinates)) lacks(Capability::kCoordinates);
  if (out.count == 0) return;
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("from_coordinates")(views.read(values.data(), values.size_bytes()),
                                     views.write(out));
}

Scene PythonPomdp::scene() const {
  if (!has(Capability::kScene)) lacks(Capability::kScene);
  py::gil_scoped_acquire gil;
  const py::dict parts = adapter_->attr("scene")();
  Scene scene;
  scene.kind = parts["kind"].cast<std::string>();
  scene.fields = parts["fields"].cast<std::vector<std::string>>();
  scene.cloud_fields = parts["cloud_fields"].cast<int>();
  for (const auto& [name, values] : parts["setting"].cast<py::dict>())
    scene.setting.emplace_back(name.cast<std::string>(), values.cast<std::vector<float>>());
  return scene;
}

void PythonPomdp::scene_values(ConstRecords state, std::span<float> out) const {
  if (!has(Capability::kScene)) lacks(Capability::kScene);
  if (state.count == 0) return;
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("scene_values")(views.read(state), views.write(out));
}

std::string PythonPomdp::draw(const std::byte* state) const {
  if (!has(Capability::kDrawing)) return describe_state(state);
  py::gil_scoped_acquire gil;
  Views views;
  return adapter_->attr("draw")(views.read(state, state_size())).cast<std::string>();
}

std::string PythonPomdp::describe_state(const std::byte* state) const {
  py::gil_scoped_acquire gil;
  Views views;
  return adapter_->attr("describe_state")(views.read(state, state_size())).cast<std::string>();
}

void bind_python_models(py::module_& m) {
  m.def(
      "python_model",
      [](py::object adapter) {
        const int clusters = adapter.attr("clusters").cast<int>();
        const HeldObject held = hold(std::move(adapter));
        auto handle = std::make_shared<ModelHandle>();
        handle->make = [held, clusters](bool finite) -> std::unique_ptr<Pomdp> {
          std::unique_ptr<Pomdp> model;
          {
            py::gil_scoped_acquire gil;
            model = std::make_unique<PythonPomdp>(held);
          }
          if (!finite || model->facts().num_observations > 0) return model;
          ClusterOptions how;
          how.num_clusters = clusters;
          return cluster_observations(std::move(model), how);
        };
        handle->model = handle->make(false);
        handle->text = handle->model->facts().name;
        return handle;
      },
      py::arg("adapter"));
}

}  // namespace penumbra::python

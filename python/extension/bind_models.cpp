// Problems: by name, from files, and what can be asked of any of them.
#include <dlfcn.h>
#include <fmt/format.h>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/base/lane_rng.h"
#include "penumbra/io/model_file.h"
#include "penumbra/model/check_model.h"
#include "penumbra/model/cluster_observations.h"
#include "penumbra/model/lint.h"
#include "penumbra/model/tabular_pomdp.h"
#include "penumbra/runs/plugin.h"
#include "penumbra/search/planners.h"
#include "penumbra/solvers/registry.h"
#include "python/extension/shared.h"

namespace penumbra::python {
namespace {

using Handle = std::shared_ptr<ModelHandle>;

// Python keeps what extensions define from each other; plug-ins look for it among what is global.
void show_to_plugins() {
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&show_to_plugins), &self) == 0 ||
      !dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL))
    throw Error("this extension cannot find itself, so no plug-in can be loaded");
}

// Whoever calls this names the plug-in.
ModelSource plugin(const std::string& text) {
  show_to_plugins();
  CommonOptions common;
  common.may_run = [](const std::string&) { return true; };
  return open_plugin(text, common);
}

Handle make_domain(const std::string& text) {
  py::gil_scoped_release work;
  auto handle = std::make_shared<ModelHandle>();
  if (is_plugin_path(text))
    handle->make = plugin(text);
  else
    handle->make = [text](bool finite) {
      return finite ? load_finite_domain(text) : load_domain(text);
    };
  handle->model = handle->make(false);
  handle->text = text;
  return handle;
}

Handle of_table(const std::string& text, ModelFile read) {
  auto handle = std::make_shared<ModelHandle>();
  handle->file = std::make_shared<const ModelFile>(std::move(read));
  handle->make = [file = handle->file](bool) { return tabular_pomdp(file->table); };
  handle->model = handle->make(true);
  handle->text = text;
  return handle;
}

std::pair<Handle, std::vector<std::string>> read_model(const std::string& path, bool strict,
                                                       double max_memory) {
  py::gil_scoped_release work;
  ReadOptions options;
  options.strict = strict;
  options.memory_limit = max_memory;
  ModelFile file = read_model_file(path, options);
  std::vector<std::string> warnings = std::move(file.warnings);
  return {of_table(path, std::move(file)), std::move(warnings)};
}

void write_model(ModelHandle& handle, const std::string& path, bool flat) {
  py::gil_scoped_release work;
  if (!is_model_path(path))
    throw Error("cannot tell the format of " + path + ": it must end in .pomdp or .pomdpx");
  if (handle.file) return write_model_file(path, *handle.file, flat);
  require(*handle.model, Capability::kTable, "write_pomdp");
  write_model_file(path, ModelFile{handle.model->table()}, flat);
}

Handle clustered(ModelHandle& handle, int clusters, uint64_t seed) {
  py::gil_scoped_release work;
  ClusterOptions how;
  how.num_clusters = clusters;
  how.seed = seed;
  auto out = std::make_shared<ModelHandle>();
  out->make = [make = handle.make, how](bool) { return cluster_observations(make(false), how); };
  out->model = out->make(true);
  out->text = out->model->facts().name;
  return out;
}

py::dict facts_of(const Pomdp& model) {
  const Facts& f = model.facts();
  py::dict out;
  out["name"] = f.name;
  out["discount"] = f.discount;
  out["num_actions"] = f.num_actions;
  out["num_observations"] = f.num_observations;
  out["min_reward"] = f.min_reward;
  out["max_reward"] = f.max_reward;
  std::vector<std::string> actions, observations;
  for (int a = 0; a < f.num_actions; ++a) actions.push_back(f.action_name(a));
  for (int o = 0; o < f.num_observations; ++o) observations.push_back(f.observation_name(o));
  out["actions"] = actions;
  out["observations"] = observations;
  out["action_low"] = f.action_low;
  out["action_high"] = f.action_high;
  out["offers"] = describe(model.capabilities());
  out["state_size"] = model.state_size();
  out["seen_size"] = model.seen_size();
  out["action_size"] = model.action_size();
  out["lanes_per_call"] = model.lanes_per_call();
  out["horizon"] = horizon_for(f, 1e-3);  // where `evaluate` cuts
  return out;
}

bool can(const Pomdp& model, const std::string& part) {
  static constexpr std::pair<const char*, Capability> kParts[] = {
      {"finite-actions", Capability::kFiniteActions},
      {"finite-observations", Capability::kFiniteObservations},
      {"features", Capability::kFeatures},
      {"likelihood", Capability::kLikelihood},
      {"cumulative", Capability::kCumulative},
      {"mdp_value", Capability::kMdpValue},
      {"table", Capability::kTable},
      {"perturb", Capability::kPerturb},
      {"drawing", Capability::kDrawing},
      {"coordinates", Capability::kCoordinates},
      {"scene", Capability::kScene}};
  std::vector<std::string> names;
  for (const auto& [name, capability] : kParts) {
    if (part == name) return model.has(capability);
    names.push_back(name);
  }
  throw Error(fmt::format("there is no part '{}'{} of a model; there are {}", part,
                          did_you_mean(part, names), fmt::join(names, ", ")));
}

py::bytearray sample_initial(const Pomdp& model, const LaneRng& rng) {
  RecordBuffer out(model.state_size(), rng.lanes());
  {
    py::gil_scoped_release work;
    model.sample_initial(rng.streams(), out);
  }
  return to_bytearray(out.view().data, out.count() * out.record_size());
}

py::tuple step(const Pomdp& model, const py::buffer& state, const py::buffer& action,
               const LaneRng& rng) {
  const ConstRecords from = records_of(state, model.state_size(), "states");
  const ConstRecords acts = records_of(action, model.action_size(), "actions");
  if (from.count != acts.count || from.count != rng.lanes())
    throw Error(fmt::format("step: {} states, {} actions and {} lanes of rng", from.count,
                            acts.count, rng.lanes()));
  StepBuffers buffers(model, from.count);
  const StepResults out = buffers.results(from.count);
  {
    py::gil_scoped_release work;
    model.step(from, acts, rng.streams(), out);
  }
  return py::make_tuple(to_bytearray(out.next.data, out.next.size * out.next.count),
                        to_bytearray(out.seen.data, out.seen.size * out.seen.count),
                        to_bytearray(out.reward.data(), out.reward.size_bytes()),
                        to_bytearray(out.ended.data(), out.ended.size_bytes()));
}

std::vector<std::string> check(const Pomdp& model, uint64_t seed, double effort) {
  py::gil_scoped_release work;
  CheckOptions how;
  how.seed = seed;
  const auto part = [&](int whole) { return std::max(2, static_cast<int>(whole * effort)); };
  how.num_walks = part(how.num_walks);
  how.num_sims = part(how.num_sims);
  how.num_bellman = part(how.num_bellman);
  return check_model(model, how);
}

py::list domain_list() {
  py::list out;
  for (const Domain& d : domains()) out.append(py::make_tuple(d.name, d.summary));
  return out;
}

py::list parameters_of(const std::string& name) {
  py::list out;
  for (const auto& p : domain_parameters(find_domain(name)))
    out.append(py::make_tuple(p.name, p.fallback, p.allowed, p.help));
  return out;
}

py::list solver_list() {
  py::list out;
  for (const SolverEntry& entry : solvers())
    out.append(py::make_tuple(entry.name, entry.summary, describe(entry.make()->needs())));
  return out;
}

py::list solver_options(const std::string& name) {
  py::list out;
  const std::unique_ptr<Solver> solver = make_solver(name);
  const OptionList options = solver->options();
  for (const Option& o : options.options())
    out.append(py::make_tuple(o.name, o.fallback, o.allowed, o.help));
  return out;
}

py::list planner_list() {
  py::list out;
  for (const search::PlannerInfo& p : search::planners())
    out.append(py::make_tuple(p.name, p.summary));
  return out;
}

void bind_model_class(py::module_& m) {
  py::class_<ModelHandle, Handle>(m, "Model")
      .def_readonly("text", &ModelHandle::text)
      .def("facts", [](ModelHandle& h) { return facts_of(*h.model); })
      .def("finite_facts",
           [](ModelHandle& h) {
             std::shared_ptr<const Pomdp> model;
             {
               py::gil_scoped_release work;
               model = h.finite();
             }
             return facts_of(*model);
           })
      .def(
          "can", [](ModelHandle& h, const std::string& part) { return can(*h.model, part); },
          py::arg("part"))
      .def("clustered", clustered, py::arg("clusters"), py::arg("seed"))
      .def("write", write_model, py::arg("path"), py::arg("flat"))
      .def(
          "check",
          [](ModelHandle& h, uint64_t seed, double effort) {
            return check(*h.model, seed, effort);
          },
          py::arg("seed"), py::arg("effort"))
      .def(
          "sample_initial",
          [](ModelHandle& h, const LaneRng& rng) { return sample_initial(*h.model, rng); },
          py::arg("rng"))
      .def(
          "step",
          [](ModelHandle& h, const py::buffer& state, const py::buffer& action,
             const LaneRng& rng) { return step(*h.model, state, action, rng); },
          py::arg("state"), py::arg("action"), py::arg("rng"))
      .def(
          "is_terminal",
          [](ModelHandle& h, const py::buffer& state) {
            const ConstRecords from = records_of(state, h.model->state_size(), "states");
            std::vector<uint8_t> out(from.count);
            {
              py::gil_scoped_release work;
              h.model->is_terminal(from, out);
            }
            return to_bytearray(out);
          },
          py::arg("state"))
      .def(
          "likelihood",
          [](ModelHandle& h, const py::buffer& seen, const py::buffer& action,
             const py::buffer& next) {
            const ConstRecords o = records_of(seen, h.model->seen_size(), "the observation");
            const ConstRecords a = records_of(action, h.model->action_size(), "the action");
            const ConstRecords states = records_of(next, h.model->state_size(), "states");
            std::vector<double> out(states.count);
            {
              py::gil_scoped_release work;
              h.model->likelihood(o.data, a.data, states, out);
            }
            return to_bytearray(out);
          },
          py::arg("seen"), py::arg("action"), py::arg("next"))
      .def(
          "mdp_value",
          [](ModelHandle& h, const py::buffer& state) {
            const ConstRecords from = records_of(state, h.model->state_size(), "states");
            std::vector<double> out(from.count);
            {
              py::gil_scoped_release work;
              h.model->mdp_value(from, out);
            }
            return to_bytearray(out);
          },
          py::arg("state"))
      .def(
          "describe_state",
          [](ModelHandle& h, const py::buffer& state) {
            return h.model->describe_state(
                records_of(state, h.model->state_size(), "a state").data);
          },
          py::arg("state"))
      .def(
          "describe_action",
          [](ModelHandle& h, const py::buffer& action) {
            return h.model->describe_action(
                records_of(action, h.model->action_size(), "an action").data);
          },
          py::arg("action"))
      .def(
          "draw",
          [](ModelHandle& h, const py::buffer& state) {
            return h.model->draw(records_of(state, h.model->state_size(), "a state").data);
          },
          py::arg("state"))
      .def("scene_fields",
           [](ModelHandle& h) {
             return h.model->has(Capability::kScene) ? h.model->scene().fields
                                                     : std::vector<std::string>();
           })
      .def(
          "scene_values",
          [](ModelHandle& h, const py::buffer& state) {
            const ConstRecords from = records_of(state, h.model->state_size(), "states");
            std::vector<float> out(from.count * h.model->scene().fields.size());
            h.model->scene_values(from, out);
            return to_bytearray(out);
          },
          py::arg("state"))
      .def("lint", [](ModelHandle& h) {
        std::vector<std::pair<int, std::string>> out;
        if (!h.model->has(Capability::kTable)) return out;
        py::gil_scoped_release work;
        for (const Finding& f : lint(h.model->table()))
          out.emplace_back(static_cast<int>(f.kind), f.text);
        return out;
      });
}

}  // namespace

void bind_models(py::module_& m) {
  bind_model_class(m);
  m.def("make", make_domain, py::arg("text"));
  m.def("is_plugin", is_plugin_path, py::arg("text"));
  m.def("read_model", read_model, py::arg("path"), py::arg("strict"), py::arg("max_memory"));
  m.def("domains", domain_list);
  m.def("domain_parameters", parameters_of, py::arg("name"));
  m.def("solvers", solver_list);
  m.def("solver_options", solver_options, py::arg("name"));
  m.def("planners", planner_list);
}

}  // namespace penumbra::python

// Policies: what a solver made or a file holds, and players, which act on a model.
#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/io/any_policy.h"
#include "penumbra/io/c_text.h"
#include "penumbra/io/export_c.h"
#include "penumbra/io/export_c_recurrent.h"
#include "penumbra/io/export_dot.h"
#include "penumbra/io/export_json.h"
#include "penumbra/io/export_recurrent.h"
#include "penumbra/model/classified.h"
#include "python/extension/python_policy.h"
#include "python/extension/views.h"

namespace penumbra::python {
namespace {

using Held = std::shared_ptr<PolicyHandle>;

Held decode(const py::bytes& bytes, const std::string& name) {
  const std::string text = bytes;
  py::gil_scoped_release work;
  return std::make_shared<PolicyHandle>(PolicyHandle{
      decode_policy({reinterpret_cast<const std::byte*>(text.data()), text.size()}, name)});
}

py::bytes encode(const PolicyHandle& policy) {
  std::vector<std::byte> bytes;
  {
    py::gil_scoped_release work;
    bytes = encode_policy(policy.file);
  }
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Held load(const std::string& path, ModelHandle* model) {
  py::gil_scoped_release work;
  if (is_own_policy(path)) {
    auto held = std::make_shared<PolicyHandle>(PolicyHandle{read_policy_file(path)});
    if (model) {
      const bool finite = held->file.num_observations > 0;
      check_policy_fits(held->file, finite ? *model->finite() : *model->model, path);
    }
    return held;
  }
  if (!model) throw Error(path + " does not say which model it is for: give it as model=");
  const std::shared_ptr<const Pomdp> on = model->finite();
  return std::make_shared<PolicyHandle>(
      PolicyHandle{describe_policy(*on, load_policy_data(path, *on))});
}

void save(const PolicyHandle& policy, const std::string& path, ModelHandle* model) {
  py::gil_scoped_release work;
  if (is_own_policy(path)) return write_policy_file(path, policy.file);
  if (!model) throw Error("writing " + path + " needs the model: give it as model=");
  save_policy_file(path, policy.file, *model->finite());
}

const char* form_name(const PolicyHandle& policy) {
  switch (form_of(policy.file.policy)) {
    case PolicyForm::kController:
      return "controller";
    case PolicyForm::kVectors:
      return "vectors";
    case PolicyForm::kRecurrent:
      return "recurrent";
    case PolicyForm::kLikelihood:
      return "likelihood";
  }
  return "";
}

// Minimised, as the program exports it.
PolicyFile minimal(const PolicyFile& file) {
  PolicyFile out = file;
  out.policy = std::make_shared<const Fnc>(Fnc{minimised(file.controller())});
  return out;
}

std::string export_text(const PolicyHandle& policy, const std::string& format,
                        const std::string& name) {
  py::gil_scoped_release work;
  const PolicyFile& file = policy.file;
  if (policy_as<RecurrentActor>(file.policy)) {
    if (format == "c") return recurrent_c_header(file, c_identifier(name));
    if (format == "json") return recurrent_json(file);
    throw Error("a recurrent network has no nodes to write as dot; write C or JSON");
  }
  if (file.controller().num_nodes() == 0) throw Error("this policy has no controller to export");
  if (format == "c") return c_header(minimal(file), c_identifier(name));
  if (format == "dot") return controller_dot(minimal(file));
  if (format == "json") return controller_json(minimal(file));
  throw Error("there is no format '" + format + "'; there are c, dot, json");
}

py::object controller_of(const PolicyHandle& policy) {
  const Fsc& fsc = policy.file.controller();
  if (fsc.num_nodes() == 0) return py::none();
  return py::make_tuple(fsc.start, to_bytearray(fsc.action), to_bytearray(fsc.edges),
                        fsc.num_observations);
}

py::object vectors_of(const PolicyHandle& policy) {
  const AlphaVectors& v = policy.file.vectors();
  if (v.vectors.empty()) return py::none();
  py::list out;
  for (const AlphaVectors::Vector& one : v.vectors)
    out.append(py::make_tuple(one.action, one.part, to_bytearray(one.value),
                              to_bytearray(v.parts[size_t(one.part)])));
  return out;
}

Player play_policy(ModelHandle& model, const PolicyHandle& policy, const std::string& execute) {
  py::gil_scoped_release work;
  const bool finite = policy.file.num_observations > 0;
  const std::shared_ptr<const Pomdp> on = finite ? model.finite() : model.model;
  check_policy_fits(policy.file, *on, "this policy");
  const Execution how = parse_execution(execute);
  return {played_on(on, "", how), executed(*on, policy.file.policy, how)};
}

Player play_text(ModelHandle& model, const std::string& text, const std::string& execute,
                 uint64_t threads, bool finite) {
  py::gil_scoped_release work;
  const std::shared_ptr<const Pomdp> on =
      finite || needs_finite_model(text) ? model.finite() : model.model;
  CommonOptions common;
  common.threads = threads;
  const Execution how = parse_execution(execute);
  auto policy = load_policy(text, *on, how, common);
  return {played_on(on, text, how), std::move(policy)};
}

// Keeps the Python policy's adapter: `finite`: it wants observations of a finite set.
Player play_python(ModelHandle& model, py::object adapter, bool finite) {
  auto policy = std::make_shared<PythonPolicy>(hold(std::move(adapter)));
  py::gil_scoped_release work;
  return {finite ? model.finite() : model.model, std::move(policy)};
}

// A policy looks an observation up in its tables.
void check_seen(const Pomdp& model, ConstRecords seen) {
  const int count = model.facts().num_observations;
  for (size_t i = 0; count > 0 && i < seen.count; ++i)
    if (const int o = index_of(seen, i); o < 0 || o >= count)
      throw Error(fmt::format("observations of {} are numbered 0 to {}, not {}", model.facts().name,
                              count - 1, o));
}

// The numbers of what was seen as floats, for a policy that was made for groups of observations.
py::bytearray classify(const Player& p, const py::buffer& action, const py::buffer& seen) {
  const auto* groups = dynamic_cast<const Classified*>(p.model.get());
  if (!groups)
    throw Error("observations of " + p.model->facts().name + " are whole numbers or names");
  const ConstRecords a = records_of(action, p.model->action_size(), "actions");
  const ConstRecords o =
      records_of(seen, size_t(groups->dimension()) * sizeof(float), "observations");
  if (a.count != o.count)
    throw Error(fmt::format("update: {} actions and {} observations", a.count, o.count));
  std::vector<int32_t> out(o.count);
  for (size_t i = 0; i < o.count; ++i)
    out[i] = groups->classify(a.at(i), reinterpret_cast<const float*>(o.at(i)));
  return to_bytearray(out);
}

void bind_player(py::module_& m) {
  py::class_<Player>(m, "Player")
      .def("describe", [](const Player& p) { return p.policy->describe(); })
      .def("memory_size", [](const Player& p) { return p.policy->memory_size(); })
      .def("num_observations", [](const Player& p) { return p.model->facts().num_observations; })
      .def("same_model", [](const Player& a, const Player& b) { return a.model == b.model; })
      .def("seen_size", [](const Player& p) { return p.model->seen_size(); })
      .def(
          "start",
          [](const Player& p, const LaneRng& rng) {
            RecordBuffer memory(std::max<size_t>(p.policy->memory_size(), 1), rng.lanes());
            {
              py::gil_scoped_release work;
              p.policy->start(rng.streams(),
                              {memory.view().data, p.policy->memory_size(), rng.lanes()});
            }
            return to_bytearray(memory.view().data, rng.lanes() * p.policy->memory_size());
          },
          py::arg("rng"))
      .def(
          "act",
          [](const Player& p, const py::buffer& memory, const LaneRng& rng) {
            const std::span<std::byte> m_bytes = writable_bytes_of(memory, "memory");
            if (m_bytes.size() != rng.lanes() * p.policy->memory_size())
              throw Error(fmt::format("act: {} bytes of memory, {} lanes need {}", m_bytes.size(),
                                      rng.lanes(), rng.lanes() * p.policy->memory_size()));
            RecordBuffer action(p.model->action_size(), rng.lanes());
            {
              py::gil_scoped_release work;
              p.policy->act({m_bytes.data(), p.policy->memory_size(), rng.lanes()}, rng.streams(),
                            action);
            }
            return to_bytearray(action.view().data, action.count() * action.record_size());
          },
          py::arg("memory"), py::arg("rng"))
      .def(
          "observe",
          [](const Player& p, const py::buffer& memory, const py::buffer& action,
             const py::buffer& seen, const LaneRng& rng) {
            const std::span<std::byte> m_bytes = writable_bytes_of(memory, "memory");
            const ConstRecords a = records_of(action, p.model->action_size(), "actions");
            const ConstRecords o = records_of(seen, p.model->seen_size(), "observations");
            const size_t n = rng.lanes();
            if (a.count != n || o.count != n || m_bytes.size() != n * p.policy->memory_size())
              throw Error(fmt::format("update: {} actions and {} observations for {} lanes",
                                      a.count, o.count, n));
            check_seen(*p.model, o);
            py::gil_scoped_release work;
            p.policy->observe({m_bytes.data(), p.policy->memory_size(), n}, a, o, rng.streams());
          },
          py::arg("memory"), py::arg("action"), py::arg("seen"), py::arg("rng"))
      .def("classify", classify, py::arg("action"), py::arg("seen"));
}

}  // namespace

void bind_policies(py::module_& m) {
  py::class_<PolicyHandle, Held>(m, "Policy")
      .def_property_readonly("domain", [](const PolicyHandle& p) { return p.file.domain; })
      .def_property_readonly("form", form_name)
      .def_property_readonly("nodes",
                             [](const PolicyHandle& p) { return num_nodes(p.file.policy); })
      .def_property_readonly("actions",
                             [](const PolicyHandle& p) {
                               std::vector<std::string> names;
                               const Facts f = facts_of(p.file);
                               for (int a = 0; a < f.num_actions; ++a)
                                 names.push_back(f.action_name(a));
                               return names;
                             })
      .def_property_readonly("observations",
                             [](const PolicyHandle& p) {
                               std::vector<std::string> names;
                               const Facts f = facts_of(p.file);
                               for (int o = 0; o < f.num_observations; ++o)
                                 names.push_back(f.observation_name(o));
                               return names;
                             })
      .def("encode", encode)
      .def("save", save, py::arg("path"), py::arg("model").none(true))
      .def("export", export_text, py::arg("format"), py::arg("name"))
      .def("controller", controller_of)
      .def("vectors", vectors_of);
  m.def("decode_policy", decode, py::arg("bytes"), py::arg("name"));
  m.def("load_policy", load, py::arg("path"), py::arg("model").none(true));
  bind_player(m);
  m.def("play_policy", play_policy, py::arg("model"), py::arg("policy"), py::arg("execute"));
  m.def("play_text", play_text, py::arg("model"), py::arg("text"), py::arg("execute"),
        py::arg("threads"), py::arg("finite"));
  m.def("play_python", play_python, py::arg("model"), py::arg("adapter"), py::arg("finite"));
}

}  // namespace penumbra::python

// penumbra export: a policy as something that runs, or can be looked at, without this program.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/json.h"
#include "cli/load_controller.h"
#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/io/c_text.h"
#include "penumbra/io/export_c.h"
#include "penumbra/io/export_c_recurrent.h"
#include "penumbra/io/export_dot.h"
#include "penumbra/io/export_json.h"
#include "penumbra/io/export_recurrent.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/nn/value_bank.h"
#include "penumbra/policy/fnc.h"

namespace penumbra::cli {
namespace {

constexpr const char* kExportExamples =
    "Examples:\n"
    "  penumbra export tiger.policy -o tiger.h\n"
    "  penumbra export tiger.policy -o tiger.dot && dot -Tsvg tiger.dot -o tiger.svg\n"
    "  penumbra export rs7.policy -o controller.txt --format json\n"
    "  penumbra export rs7.policy -o rs7.h --networks\n"
    "  penumbra export out.policyx --model maze.pomdp -o maze.h --name maze\n"
    "\n"
    "c     one C99 header with tables and functions; no allocation, nothing to link\n"
    "dot   a graph for Graphviz\n"
    "json  the same tables for other languages\n"
    "\n"
    "A recurrent network (solver ppo) is written as C or as JSON. With --networks the C header of "
    "a\n"
    "controller (solver nvi) also has the networks of its nodes, which value states.\n"
    "The controller is minimised first: nodes that behave alike become one. Alpha-vectors are\n"
    "followed from belief to belief, which is exact up to --max-nodes of them; beyond, the\n"
    "controller that the file holds beside them is taken.\n";

struct ExportArguments {
  std::string policy, output, format, name, model;
  uint64_t max_nodes = 10'000;
  bool networks = false;
  CommonOptions common;
};

std::string format_of(const ExportArguments& o) {
  static const std::vector<std::string> kFormats = {"c", "dot", "json"};
  std::string format = o.format;
  if (format.empty()) {
    const std::string ending = std::filesystem::path(o.output).extension().string();
    if (ending == ".h" || ending == ".hpp") format = "c";
    if (ending == ".dot" || ending == ".gv") format = "dot";
    if (ending == ".json") format = "json";
    if (format.empty())
      throw Error("cannot tell the format of " + o.output +
                  ": end it in .h, .dot or .json, or give --format c, dot or json");
  }
  if (std::find(kFormats.begin(), kFormats.end(), format) != kFormats.end()) return format;
  throw Error(
      fmt::format("there is no format '{}'; there are {}", format, fmt::join(kFormats, ", ")));
}

std::string name_of(const ExportArguments& o) {
  return c_identifier(o.name.empty() ? std::filesystem::path(o.output).stem().string() : o.name);
}

void print_line(const ExportArguments& o, const std::string& what, const PolicyFile& policy,
                size_t bytes) {
  fmt::print("{}: {} for {}, {:.1f} kB\n", o.output, what, policy.domain,
             static_cast<double>(bytes) / 1e3);
}

int export_recurrent(const ExportArguments& o, const PolicyFile& policy,
                     const std::string& format) {
  if (format == "dot")
    throw Error(o.policy +
                " holds a recurrent network, which has no nodes to write as dot; write C or JSON "
                "(--format c or json), or solve with another solver for a controller");
  const std::string name = name_of(o);
  const std::string text =
      format == "c" ? recurrent_c_header(policy, name) : recurrent_json(policy);
  replace_file(o.output, text);
  const int units = policy_as<RecurrentActor>(policy.policy)->net.shape().hidden;
  if (o.common.json) {
    Json out{{"policy", o.policy},      {"output", o.output}, {"format", format},
             {"domain", policy.domain}, {"units", units},     {"bytes", text.size()}};
    if (format == "c") out["name"] = name;
    print_json(out);
    return kOk;
  }
  print_line(o, fmt::format("a recurrent network of {} units", units), policy, text.size());
  if (format == "c") fmt::print("  functions {0}_start, {0}_act, {0}_observe\n", name);
  return kOk;
}

// What the header of a controller is made of: with the networks of its nodes only if asked for.
Fnc minimal(const ExportArguments& o, const PolicyFile& policy, const std::string& format) {
  if (!o.networks) return {minimised(policy.controller())};
  if (format != "c") throw Error("--networks are written as C only, not as " + format);
  const auto* fnc = policy_as<Fnc>(policy.policy);
  Fnc minimal = fnc ? minimised(*fnc) : Fnc{};
  if (!minimal.networks)
    throw Error(o.policy + " holds no networks; the solver nvi makes a controller that has them");
  return minimal;
}

int run(const ExportArguments& o) {
  const std::string format = format_of(o);
  const LoadedController loaded = load_controller(o.policy, o.model, o.max_nodes, o.common);
  if (policy_as<RecurrentActor>(loaded.policy.policy))
    return export_recurrent(o, loaded.policy, format);
  PolicyFile policy = loaded.policy;
  const int before = policy.controller().num_nodes();
  const auto fnc = std::make_shared<const Fnc>(minimal(o, policy, format));
  policy.policy = fnc;
  const int after = fnc->fsc.num_nodes();
  const std::string name = name_of(o);
  const std::string text = format == "c"     ? c_header(policy, name, o.networks)
                           : format == "dot" ? controller_dot(policy)
                                             : controller_json(policy);
  replace_file(o.output, text);
  if (o.common.json) {
    Json out{{"policy", o.policy},      {"output", o.output},          {"format", format},
             {"domain", policy.domain}, {"controller", loaded.source}, {"nodes_before", before},
             {"nodes", after},          {"bytes", text.size()}};
    if (format == "c") out["name"] = name;
    if (fnc->networks) out["networks"] = fnc->networks->size();
    print_json(out);
    return kOk;
  }
  print_line(o, "a controller", policy, text.size());
  fmt::print("  from      {}\n", loaded.source);
  fmt::print("  nodes     {} before it was minimised, {} after\n", before, after);
  if (fnc->networks) fmt::print("  networks  {}\n", fnc->networks->size());
  if (format == "c")
    fmt::print("  functions {0}_start, {0}_act, {0}_observe{1}\n", name,
               fnc->networks ? ", " + name + "_alpha" : "");
  return kOk;
}

}  // namespace

std::function<int()> declare_export(Flags& flags) {
  auto o = std::make_shared<ExportArguments>();
  flags.positional("POLICY", o->policy, Need::kRequired, "a policy file");
  flags.text("-o,--output", o->output, Need::kRequired, "where it goes");
  flags.text("--format", o->format, Need::kOptional, "c, dot or json (from the ending of FILE)");
  flags.text("--name", o->name, Need::kOptional,
             "what the names of the C functions begin with (the name of FILE)");
  flags.text("--model", o->model, Need::kOptional,
             "the model, where the policy file does not name one that can be loaded");
  flags.count("--max-nodes", o->max_nodes, 1, 10'000'000,
              "beliefs that alpha-vectors are followed to (10000)");
  flags.flag("--networks", o->networks,
             "C: the networks of the controller's nodes too (solver nvi)");
  declare_model(flags, o->common);
  declare_output(flags, o->common);
  flags.examples(kExportExamples);
  return [o] { return run(*o); };
}

}  // namespace penumbra::cli

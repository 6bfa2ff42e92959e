// penumbra export: a policy as something that runs, or can be looked at, without this program.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/json.h"
#include "cli/load.h"
#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/io/any_policy.h"
#include "penumbra/io/export_c.h"
#include "penumbra/io/export_dot.h"
#include "penumbra/io/export_json.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/policy/alpha_controller.h"
#include "penumbra/policy/fnc.h"

namespace penumbra::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  penumbra export tiger.policy -o tiger.h\n"
    "  penumbra export tiger.policy -o tiger.dot && dot -Tsvg tiger.dot -o tiger.svg\n"
    "  penumbra export rs7.policy -o controller.txt --format json\n"
    "  penumbra export out.policyx --model maze.pomdp -o maze.h --name maze\n"
    "\n"
    "c     one C99 header with tables and functions; no allocation, nothing to link\n"
    "dot   a graph for Graphviz\n"
    "json  the same tables for other languages\n"
    "\n"
    "The controller is minimised first: nodes that behave alike become one. Alpha-vectors are\n"
    "followed from belief to belief, which is exact up to --max-nodes of them; beyond, the\n"
    "controller that the file holds beside them is taken.\n";

struct Options {
  std::string policy, output, format, name, model;
  uint64_t max_nodes = 10'000;
  CommonOptions common;
};

std::string format_of(const Options& o) {
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

// A policy ready to be written, and where its controller comes from.
struct Loaded {
  PolicyFile policy;
  std::string source;
};

// What the vectors do, as a controller. `spare`, if it has nodes, is taken where that cannot be
// exact.
Loaded unroll(const Options& o, const AlphaPolicy& vectors, PolicyFile policy, const Fsc& spare) {
  bool exact = false;
  policy.fsc =
      alpha_controller(vectors, policy.num_observations, static_cast<int>(o.max_nodes), &exact);
  if (exact) return {std::move(policy), "its alpha-vectors, followed to every belief"};
  const std::string most = fmt::format("they reach more than {} beliefs", o.max_nodes);
  if (spare.num_nodes() == 0)
    return {std::move(policy), fmt::format("its alpha-vectors, not exactly: {}", most)};
  policy.fsc = spare;
  return {std::move(policy), fmt::format("beside its alpha-vectors: {}", most)};
}

// A policy file of another program says little about its model: it must be named.
Loaded load_foreign(const Options& o) {
  if (o.model.empty())
    throw Error(o.policy + " does not say which model it is for: give it with --model");
  const std::unique_ptr<Pomdp> model = load_model(o.model, o.common, true);
  const std::unique_ptr<Policy> policy = load_policy_file(o.policy, *model);
  if (const auto* fsc = dynamic_cast<const FscPolicy*>(policy.get()))
    return {describe_policy(*model, fsc->fsc()), "the file"};
  const auto* vectors = dynamic_cast<const AlphaPolicy*>(policy.get());
  PENUMBRA_CHECK(vectors != nullptr, "a policy is a controller or alpha-vectors");
  return unroll(o, *vectors, describe_policy(*model, Fsc{}), {});
}

Loaded load(const Options& o) {
  if (!is_own_policy(o.policy)) return load_foreign(o);
  PolicyFile file = read_policy_file(o.policy);
  if (file.likelihood.num_nodes() > 0)
    throw Error(
        o.policy +
        " chooses its next node by the likelihood of a continuous observation, which needs "
        "the model itself; solve with clusters (without observations=continuous) to export");
  const bool has_fsc = file.fsc.num_nodes() > 0, has_vectors = !file.vectors.vectors.empty();
  if (o.model.empty() && !has_vectors) return {std::move(file), "the file"};
  std::unique_ptr<Pomdp> model;
  try {
    model = load_model(o.model.empty() ? file.domain : o.model, o.common, true);
    check_policy_fits(file, *model, o.policy);
  } catch (const Error& error) {
    if (!o.model.empty()) throw;
    if (has_fsc) return {std::move(file), "beside its alpha-vectors: --model would show them"};
    throw Error(
        fmt::format("{} holds alpha-vectors, and the model that they need cannot be loaded by its "
                    "name; give it with --model ({})",
                    o.policy, error.what()));
  }
  if (!has_vectors) return {std::move(file), "the file"};
  const std::unique_ptr<Policy> policy = playable(file, *model);
  const Fsc spare = file.fsc;
  return unroll(o, dynamic_cast<const AlphaPolicy&>(*policy), std::move(file), spare);
}

int run(const Options& o) {
  const std::string format = format_of(o);
  const Loaded loaded = load(o);
  PolicyFile policy = loaded.policy;
  const int before = policy.fsc.num_nodes();
  policy.fsc = minimised(policy.fsc);
  const std::string stem = std::filesystem::path(o.output).stem().string();
  const std::string name = c_identifier(o.name.empty() ? stem : o.name);
  const std::string text = format == "c"     ? c_header(policy, name)
                           : format == "dot" ? controller_dot(policy)
                                             : controller_json(policy);
  replace_file(o.output, text);
  if (o.common.json) {
    Json out{{"policy", o.policy},
             {"output", o.output},
             {"format", format},
             {"domain", policy.domain},
             {"controller", loaded.source},
             {"nodes_before", before},
             {"nodes", policy.fsc.num_nodes()},
             {"bytes", text.size()}};
    if (format == "c") out["name"] = name;
    print_json(out);
    return kOk;
  }
  fmt::print("{}: a controller for {}, {:.1f} kB\n", o.output, policy.domain,
             static_cast<double>(text.size()) / 1e3);
  fmt::print("  from      {}\n", loaded.source);
  fmt::print("  nodes     {} before it was minimised, {} after\n", before, policy.fsc.num_nodes());
  if (format == "c") fmt::print("  functions {0}_start, {0}_act, {0}_observe\n", name);
  return kOk;
}

}  // namespace

std::function<int()> declare_export(Flags& flags) {
  auto o = std::make_shared<Options>();
  flags.positional("POLICY", o->policy, Need::kRequired, "a policy file");
  flags.text("-o,--output", o->output, Need::kRequired, "where it goes");
  flags.text("--format", o->format, Need::kOptional, "c, dot or json (from the ending of FILE)");
  flags.text("--name", o->name, Need::kOptional,
             "what the names of the C functions begin with (the name of FILE)");
  flags.text("--model", o->model, Need::kOptional,
             "the model, where the policy file does not name one that can be loaded");
  flags.count("--max-nodes", o->max_nodes, 1, 10'000'000,
              "beliefs that alpha-vectors are followed to (10000)");
  declare_model(flags, o->common);
  declare_output(flags, o->common);
  flags.examples(kExamples);
  return [o] { return run(*o); };
}

}  // namespace penumbra::cli

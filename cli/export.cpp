// penumbra export: a policy as something that runs, or can be looked at, without this program.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/json.h"
#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/evaluate/shrink.h"
#include "penumbra/io/c_text.h"
#include "penumbra/io/export_c.h"
#include "penumbra/io/export_c_recurrent.h"
#include "penumbra/io/export_dot.h"
#include "penumbra/io/export_json.h"
#include "penumbra/io/export_recurrent.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/nn/value_bank.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/runs/load.h"
#include "penumbra/runs/load_controller.h"

namespace penumbra::cli {
namespace {

constexpr const char* kExportExamples =
    "Examples:\n"
    "  penumbra export tiger.policy -o tiger.h\n"
    "  penumbra export tiger.policy -o tiger.dot && dot -Tsvg tiger.dot -o tiger.svg\n"
    "  penumbra export rs7.policy -o controller.txt --format json\n"
    "  penumbra export rs7.policy -o rs7.h --networks\n"
    "  penumbra export out.policyx --model maze.pomdp -o maze.h --name maze\n"
    "  penumbra export rs11.policy -o small.policy --shrink\n"
    "  penumbra export rs11.policy -o rs11.h --shrink --loss 0.1\n"
    "\n"
    "c       one C99 header with tables and functions; no allocation, nothing to link\n"
    "dot     a graph for Graphviz\n"
    "json    the same tables for other languages\n"
    "policy  a policy file of the controller alone, for this program\n"
    "\n"
    "With --shrink nodes are taken away and merged as long as that costs at most --loss of the\n"
    "value, by simulation of --episodes; what it cost is then measured on fresh episodes.\n"
    "A recurrent network (solver ppo) is written as C or as JSON. With --networks the C header of "
    "a\n"
    "controller (solver nvi) also has the networks of its nodes, which value states.\n"
    "The controller is minimised first: nodes that behave alike become one. Alpha-vectors are\n"
    "followed from belief to belief, which is exact up to --max-nodes of them; beyond, the\n"
    "controller that the file holds beside them is taken.\n";

struct ExportArguments {
  std::string policy, output, format, name, model;
  uint64_t max_nodes = 10'000;
  bool networks = false, shrink = false;
  std::string loss;
  uint64_t episodes = 100'000;
  CommonOptions common;
};

// What was exported, and how it came about.
struct Exported {
  PolicyFile policy;
  std::shared_ptr<const Fnc> fnc;
  std::string source;
  int before = 0;
  std::optional<Shrunk> shrunk{};
};

std::string format_of(const ExportArguments& o) {
  static const std::vector<std::string> kFormats = {"c", "dot", "json", "policy"};
  std::string format = o.format;
  if (format.empty()) {
    const std::string ending = std::filesystem::path(o.output).extension().string();
    if (ending == ".h" || ending == ".hpp") format = "c";
    if (ending == ".dot" || ending == ".gv") format = "dot";
    if (ending == ".json") format = "json";
    if (ending == ".policy") format = "policy";
    if (format.empty())
      throw Error(
          "cannot tell the format of " + o.output +
          ": end it in .h, .dot, .json or .policy, or give --format c, dot, json or policy");
  }
  if (std::find(kFormats.begin(), kFormats.end(), format) != kFormats.end()) return format;
  throw Error(
      fmt::format("there is no format '{}'; there are {}", format, fmt::join(kFormats, ", ")));
}

void check_not_itself(const ExportArguments& o) {
  std::error_code error;
  if (std::filesystem::equivalent(o.policy, o.output, error))
    throw Error(o.output + " is the policy that is exported; name another file with -o");
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
  if (o.shrink || (format != "c" && format != "json"))
    throw Error(fmt::format(
        "{} holds a recurrent network, which has no nodes to {}; write C or JSON (--format c or "
        "json), or solve with another solver for a controller",
        o.policy, o.shrink ? "take away" : "write as " + format));
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

double allowed_loss(const ExportArguments& o) {
  if (o.loss.empty()) return 0;
  if (!o.shrink) throw Error("--loss is what --shrink may cost; give --shrink too");
  char* end = nullptr;
  const double loss = std::strtod(o.loss.c_str(), &end);
  if (*end != 0 || !(loss > 0) || !std::isfinite(loss))
    throw Error("--loss must be a value above 0, such as 0.05, not '" + o.loss + "'");
  return loss;
}

// The smaller controller in the place of the one in `policy`.
Shrunk shrunk_policy(const ExportArguments& o, const PolicyFile& policy) {
  if (o.networks)
    throw Error(
        "--shrink gives nodes other successors, and --networks are of the nodes as they "
        "were; give one of them");
  const std::unique_ptr<Pomdp> model =
      load_model(o.model.empty() ? policy.domain : o.model, o.common, true);
  check_policy_fits(policy, *model, o.policy);
  ShrinkOptions options;
  options.loss = allowed_loss(o);
  options.episodes = o.episodes;
  options.seed = o.common.seed;
  options.tell = [&](const std::string& line) { o.common.note(line); };
  options.cancelled = o.common.interrupted;
  ThreadPool pool(static_cast<int>(o.common.threads));
  return shrink(*model, policy.controller(), options, pool);
}

Json shrunk_json(const Shrunk& s) {
  return {
      {"nodes_minimal", s.nodes_minimal},
      {"nodes", s.fsc.num_nodes()},
      {"rounds", s.rounds},
      {"allowed_loss", s.loss},
      {"episodes", s.check.difference.count},
      {"before", {{"mean", s.check.a.mean}, {"standard_error", s.check.a.standard_error}}},
      {"after", {{"mean", s.check.b.mean}, {"standard_error", s.check.b.standard_error}}},
      {"loss",
       {{"mean", s.check.difference.mean}, {"standard_error", s.check.difference.standard_error}}}};
}

void print_exported(const ExportArguments& o, const Exported& x, const std::string& format,
                    size_t bytes) {
  const std::string name = name_of(o);
  const int nodes = x.fnc->fsc.num_nodes();
  if (o.common.json) {
    Json out{{"policy", o.policy},     {"output", o.output},
             {"format", format},       {"domain", x.policy.domain},
             {"controller", x.source}, {"nodes_before", x.before},
             {"nodes", nodes},         {"bytes", bytes}};
    if (format == "c") out["name"] = name;
    if (x.fnc->networks) out["networks"] = x.fnc->networks->size();
    if (x.shrunk) out["shrink"] = shrunk_json(*x.shrunk);
    print_json(out);
    return;
  }
  print_line(o, "a controller", x.policy, bytes);
  fmt::print("  from      {}\n", x.source);
  if (x.shrunk) {
    const Comparison& check = x.shrunk->check;
    fmt::print("  nodes     {} before, {} minimised, {} shrunk: {:.1f} times smaller\n", x.before,
               x.shrunk->nodes_minimal, nodes, double(x.before) / nodes);
    fmt::print("  value     {:.4f} +- {:.4f} before, {:.4f} +- {:.4f} after, {} fresh episodes\n",
               check.a.mean, check.a.standard_error, check.b.mean, check.b.standard_error,
               check.difference.count);
    fmt::print("  loss      {:.4f} +- {:.4f}, paired; {:.4f} was allowed\n", check.difference.mean,
               check.difference.standard_error, x.shrunk->loss);
  } else {
    fmt::print("  nodes     {} before it was minimised, {} after\n", x.before, nodes);
  }
  if (x.fnc->networks) fmt::print("  networks  {}\n", x.fnc->networks->size());
  if (format == "c")
    fmt::print("  functions {0}_start, {0}_act, {0}_observe{1}\n", name,
               x.fnc->networks ? ", " + name + "_alpha" : "");
}

int run(const ExportArguments& o) {
  check_not_itself(o);
  const std::string format = format_of(o);
  allowed_loss(o);
  LoadedController loaded = load_controller(o.policy, o.model, o.max_nodes, o.common);
  if (policy_as<RecurrentActor>(loaded.policy.policy))
    return export_recurrent(o, loaded.policy, format);
  Exported x{std::move(loaded.policy), nullptr, std::move(loaded.source)};
  x.before = x.policy.controller().num_nodes();
  if (o.shrink) {
    x.shrunk = shrunk_policy(o, x.policy);
    x.fnc = std::make_shared<const Fnc>(Fnc{x.shrunk->fsc});
  } else {
    x.fnc = std::make_shared<const Fnc>(minimal(o, x.policy, format));
  }
  x.policy.policy = x.fnc;
  name_actions(x.fnc->fsc, x.policy);
  if (format == "policy") {
    write_policy_file(o.output, x.policy);
    print_exported(o, x, format, std::filesystem::file_size(o.output));
    return kOk;
  }
  const std::string text = format == "c"     ? c_header(x.policy, name_of(o), o.networks)
                           : format == "dot" ? controller_dot(x.policy)
                                             : controller_json(x.policy);
  replace_file(o.output, text);
  print_exported(o, x, format, text.size());
  return kOk;
}

}  // namespace

std::function<int()> declare_export(Flags& flags) {
  auto o = std::make_shared<ExportArguments>();
  flags.positional("POLICY", o->policy, Need::kRequired, "a policy file");
  flags.text("-o,--output", o->output, Need::kRequired, "where it goes");
  flags.text("--format", o->format, Need::kOptional,
             "c, dot, json or policy (from the ending of FILE)");
  flags.text("--name", o->name, Need::kOptional,
             "what the names of the C functions begin with (the name of FILE)");
  flags.text("--model", o->model, Need::kOptional,
             "the model, where the policy file does not name one that can be loaded");
  flags.count("--max-nodes", o->max_nodes, 1, 10'000'000,
              "beliefs that alpha-vectors are followed to (10000)");
  flags.flag("--networks", o->networks,
             "C: the networks of the controller's nodes too (solver nvi)");
  flags.flag("--shrink", o->shrink, "fewer nodes, for a loss that simulation confirms");
  flags.text("--loss", o->loss, Need::kOptional,
             "of value that --shrink may cost (one standard error of its score)");
  flags.count("--episodes", o->episodes, 100, kMaxEpisodes,
              "of --shrink, to choose by and again to measure by (100000)");
  declare_common(flags, o->common);
  flags.examples(kExportExamples);
  return [o] { return run(*o); };
}

}  // namespace penumbra::cli

// penumbra convert: a model as a file of either format.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/json.h"
#include "penumbra/base/error.h"
#include "penumbra/io/model_file.h"
#include "penumbra/runs/load.h"

namespace penumbra::cli {
namespace {

constexpr const char* kConvertExamples =
    "Examples:\n"
    "  penumbra convert maze.pomdp maze.pomdpx\n"
    "  penumbra convert 'rock-sample(map=7-8)' rs78.pomdpx\n"
    "  penumbra convert rs78.pomdpx rs78.pomdp\n"
    "\n"
    "Reading the result gives the same model, bit for bit. A .pomdpx keeps variables and what is\n"
    "visible; a .pomdp (or --flat) has one state, and what was visible is observed.\n";

struct ConvertArguments {
  std::string model, output;
  bool flat = false;
  CommonOptions common;
};

int run(const ConvertArguments& o) {
  if (!is_model_path(o.output))
    throw Error("cannot tell the format of " + o.output + ": it must end in .pomdp or .pomdpx");
  ModelFile model;
  if (is_model_path(o.model)) {
    model = load_file(o.model, o.common);
  } else {
    const std::unique_ptr<Pomdp> domain = load_model(o.model, o.common);
    require(*domain, Capability::kTable, "convert");
    model.table = domain->table();
  }
  write_model_file(o.output, model, o.flat);
  const Tabular& table = model.table;
  const auto bytes = static_cast<double>(std::filesystem::file_size(o.output));
  if (o.common.json)
    print_json({{"model", o.model},
                {"output", o.output},
                {"bytes", bytes},
                {"num_states", table.num_states},
                {"num_actions", table.num_actions},
                {"num_observations", table.num_observations}});
  else
    fmt::print("{}: {} states, {} actions, {} observations, {:.1f} kB\n", o.output,
               table.num_states, table.num_actions, table.num_observations, bytes / 1e3);
  return kOk;
}

}  // namespace

std::function<int()> declare_convert(Flags& flags) {
  auto o = std::make_shared<ConvertArguments>();
  flags.positional("MODEL", o->model, Need::kRequired, "a .pomdp or .pomdpx file, or a domain");
  flags.positional("OUTPUT", o->output, Need::kRequired, "the file: *.pomdp or *.pomdpx");
  flags.flag("--flat", o->flat, "one state variable; what is visible is observed");
  declare_model(flags, o->common);
  declare_output(flags, o->common);
  flags.examples(kConvertExamples);
  return [o] { return run(*o); };
}

}  // namespace penumbra::cli

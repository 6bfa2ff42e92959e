// penumbra build: a model of one's own as a plug-in to keep.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/json.h"
#include "penumbra/runs/plugin.h"

namespace penumbra::cli {
namespace {

constexpr const char* kBuildExamples =
    "Examples:\n"
    "  penumbra build boxes.cpp                     makes boxes.so\n"
    "  penumbra build boxes.cpp -o lib/boxes.so\n"
    "  penumbra solve 'lib/boxes.so(noise=0.3)' --time 1m\n"
    "\n"
    "The file ends with PENUMBRA_MODEL(NameOfTheStruct); docs/own-problem.md walks through one.\n"
    "Every command also takes the .cpp itself, and keeps what it compiled. The compiler is $CXX\n"
    "or c++. Loading a .cpp or .so runs its author's code.\n";

struct BuildArguments {
  std::string source, output;
  CommonOptions common;
};

int run(const BuildArguments& o) {
  const std::string output = o.output.empty()
                                 ? std::filesystem::path(o.source).replace_extension(".so").string()
                                 : o.output;
  build_plugin(o.source, output, o.common);
  if (o.common.json)
    print_json({{"source", o.source}, {"output", output}});
  else
    fmt::print("{}\n", output);
  return kOk;
}

}  // namespace

std::function<int()> declare_build(Flags& flags) {
  auto o = std::make_shared<BuildArguments>();
  flags.positional("SOURCE", o->source, Need::kRequired, "a .cpp that ends with PENUMBRA_MODEL");
  flags.text("-o,--output", o->output, Need::kOptional, "the plug-in, *.so (beside the source)");
  declare_output(flags, o->common);
  flags.examples(kBuildExamples);
  return [o] { return run(*o); };
}

}  // namespace penumbra::cli

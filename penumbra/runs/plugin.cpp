#include "penumbra/runs/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/model/plugin.h"
#include "penumbra/runs/plugin_cache.h"
#include "penumbra/runs/plugin_compiler.h"

namespace penumbra {
namespace {

namespace fs = std::filesystem;

constexpr int kUsualClusters = 20;  // of continuous observations

bool is_source(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  return ending == ".cpp" || ending == ".cc" || ending == ".cxx";
}

void check_exists(const std::string& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) throw Error(file + " is a folder, not the file of a model");
  if (fs::is_regular_file(file, error) && fs::file_size(file, error) == 0)
    throw Error(file + " is empty; docs/own-problem.md tells what the file of a model holds");
  if (!fs::is_regular_file(file, error))
    throw Error(fmt::format("there is no model file '{}' (looked for {})", file,
                            fs::absolute(file, error).string()));
}

// Under another name first: whoever loads it at the same time sees all of it or nothing.
void compile_to(const std::string& source, const std::string& output, bool keep_includes,
                const CommonOptions& common) {
  const std::string temporary = fmt::format("{}.{}.tmp", output, ::getpid());
  std::error_code error;
  const fs::path folder = fs::absolute(output).parent_path();
  if (!fs::is_directory(folder, error) || ::access(folder.c_str(), W_OK) != 0)
    throw Error(fmt::format("cannot write {}: {} is no folder that can be written to", output,
                            folder.string()));
  try {
    if (const std::string said = compile_plugin(source, temporary); !said.empty())
      common.note(said);
    if (keep_includes) fs::rename(temporary + ".d", output + ".d");
    fs::rename(temporary, output);
  } catch (const fs::filesystem_error& failed) {
    fs::remove(temporary, error);
    throw Error(fmt::format("cannot write {}: {}", output, failed.code().message()));
  } catch (const Error&) {
    fs::remove(temporary, error);
    fs::remove(temporary + ".d", error);
    throw;
  }
  fs::remove(temporary + ".d", error);
}

// The plug-in of a source, from the cache or compiled now.
std::string compiled(const std::string& source, const CommonOptions& common) {
  const std::string plugin = cached_plugin(plugin_cache_folder(), source);
  if (!is_up_to_date(plugin)) {
    common.note("compiling " + source);
    compile_to(source, plugin, true, common);
  }
  check_only_ours(plugin, "the compiled model");
  return plugin;
}

// It is never closed: models of it may live as long as the program.
const Plugin& load_library(const std::string& file) {
  void* library = ::dlopen(fs::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* why = ::dlerror();
    throw Error(fmt::format("cannot load {}: {}; penumbra build makes it anew of its source", file,
                            why ? why : "it is no shared library"));
  }
  void* entry = ::dlsym(library, kPluginEntry);
  if (!entry)
    throw Error(file + " holds no model: its source must end with PENUMBRA_MODEL(NameOfTheStruct)");
  const Plugin& plugin = *reinterpret_cast<const Plugin* (*)()>(entry)();
  static const std::string ours = plugin_abi(plugin_contract());
  if (plugin.abi != ours)
    throw Error(
        fmt::format("{} was made for another build of Penumbra: penumbra build makes it "
                    "anew of its source\n  it has      {}\n  this one has {}",
                    file, plugin.abi, ours));
  return plugin;
}

const Plugin& opened(const std::string& text, const CommonOptions& common) {
  const std::string file = plugin_file(text);
  check_exists(file);
  check_may_run(text, common);
  return load_library(is_source(file) ? compiled(file, common) : file);
}

}  // namespace

std::string plugin_file(const std::string& text) {
  return text.substr(0, text.find('('));
}

bool is_plugin_path(const std::string& text) {
  const std::string file = plugin_file(text);
  return is_source(file) || fs::path(file).extension() == ".so";
}

void check_may_run(const std::string& text, const CommonOptions& common) {
  const std::string file = plugin_file(text);
  if (common.may_run && common.may_run(file)) return;
  throw Error(fmt::format(
      "{} is the code of whoever wrote it, and is only run when you name it on the command line or "
      "pass --trust",
      file));
}

std::vector<Params::Declaration> plugin_parameters(const std::string& text,
                                                   const CommonOptions& common) {
  const std::string file = plugin_file(text);
  return domain_parameters(Domain{file.c_str(), "", opened(text, common).make, kUsualClusters});
}

PluginMaker open_plugin(const std::string& text, const CommonOptions& common) {
  const Plugin& plugin = opened(text, common);
  const std::string file = plugin_file(text);
  // A path may have letters that a name may not.
  Spec spec = Spec::parse("model" + text.substr(file.size()));
  spec.name = file;
  return [file, spec, make = plugin.make](bool finite) {
    return load_from(Domain{file.c_str(), "", make, kUsualClusters}, spec, finite);
  };
}

std::unique_ptr<Pomdp> load_plugin(const std::string& text, const CommonOptions& common,
                                   bool finite) {
  return open_plugin(text, common)(finite);
}

void build_plugin(const std::string& source, const std::string& output,
                  const CommonOptions& common) {
  if (!is_source(source)) throw Error(source + " is no source: it must end in .cpp, .cc or .cxx");
  if (fs::path(output).extension() != ".so")
    throw Error(output + " must end in .so, so that commands know it as a model");
  check_exists(source);
  compile_to(source, output, false, common);
  load_library(output);
}

}  // namespace penumbra

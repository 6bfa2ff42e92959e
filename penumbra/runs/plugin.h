// Models of one's own: a .cpp that ends with PENUMBRA_MODEL (model/plugin.h), or the .so that
// `penumbra build` makes of it. Loading one runs its author's code: only what the user named is
// ever loaded (CommonOptions::may_run).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "penumbra/base/spec.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/runs/common_options.h"

namespace penumbra {

// Whether the text names such a file, with parameters or without.
bool is_plugin_path(const std::string& text);
// "boxes.cpp" of "boxes.cpp(noise=0.3)".
std::string plugin_file(const std::string& text);

// Throws Error, telling what to do, where the user has not named the file.
void check_may_run(const std::string& text, const CommonOptions& common);

// Makes the model again and again of the file as it is now: with finite observations, or as it is.
// Throws what load_plugin throws for the file; parameters are looked at when a model is made.
using PluginMaker = std::function<std::unique_ptr<Pomdp>(bool finite)>;
PluginMaker open_plugin(const std::string& text, const CommonOptions& common);

// The model, compiled where it has to be. Takes the parameters of every domain besides its own
// (domains/registry.h). Throws Error for what is not there, does not compile or does not fit.
std::unique_ptr<Pomdp> load_plugin(const std::string& text, const CommonOptions& common,
                                   bool finite);

// What it may be given in brackets.
std::vector<Params::Declaration> plugin_parameters(const std::string& text,
                                                   const CommonOptions& common);

// Compiles a .cpp to a .so to keep, and makes sure that it can be loaded. It need not be trusted:
// the user names it.
void build_plugin(const std::string& source, const std::string& output,
                  const CommonOptions& common);

}  // namespace penumbra

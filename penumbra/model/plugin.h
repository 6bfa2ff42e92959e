// A model in a file of its own that the program loads: `penumbra solve boxes.cpp`. The file ends
// with PENUMBRA_MODEL(Boxes); the program compiles it, or takes the .so of `penumbra build`.
// docs/own-problem.md is the manual.
//
// A plug-in holds the model and the loops of adapt() around it. All else of the library that they
// call is the program's own, so both must have been made of the same headers.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"

// The headers in one word. The program's build and the installed CMake package define it.
#ifndef PENUMBRA_CONTRACT
#define PENUMBRA_CONTRACT "unknown"
#endif

namespace penumbra {

// What a plug-in's one entry gives. `abi` stays first: it is read before anything else is known.
struct Plugin {
  const char* abi;
  std::unique_ptr<Pomdp> (*make)(Params& params);
};
constexpr const char* kPluginEntry = "penumbra_plugin";

// What program and plug-in must agree on, as text.
inline std::string plugin_abi(const std::string& contract) {
#ifdef _GLIBCXX_USE_CXX11_ABI
  std::string text = "libstdc++ with strings of ABI " + std::to_string(_GLIBCXX_USE_CXX11_ABI);
#else
  std::string text = "another standard library";
#endif
  text = "headers " + contract + ", " + text + ", sizes";
  for (const size_t size : {sizeof(void*), sizeof(std::string), sizeof(Pomdp), sizeof(Facts),
                            sizeof(Params), sizeof(Tabular), sizeof(Scene), sizeof(Rng)})
    text += " " + std::to_string(size);
  return text;
}

namespace plugin_detail {

template <class M>
concept IsMadeByMake = requires(Params& params) {
  { M::make(params) } -> std::same_as<M>;
};

// The problem is called what the user called it on the command line, parameters included.
template <class M>
struct Named : M {
  Named(M model, std::string name) : M(std::move(model)), called(std::move(name)) {}
  Facts facts() const {
    Facts facts = M::facts();
    facts.name = called;
    return facts;
  }
  std::string called;
};

template <class M>
std::unique_ptr<Pomdp> make(Params& params) {
  if constexpr (IsMadeByMake<M>) {
    M model = M::make(params);
    return adapt(Named<M>(std::move(model), params.canonical()));
  } else if constexpr (std::constructible_from<M, Params&>) {
    M model(params);
    return adapt(Named<M>(std::move(model), params.canonical()));
  } else {
    return adapt(Named<M>(M{}, params.canonical()));
  }
}

}  // namespace plugin_detail
}  // namespace penumbra

// Once per plug-in, outside of namespaces. Parameters (`boxes.cpp(noise=0.3)`) are read by a
// constructor from Params& or by `static Boxes make(Params&)`.
#define PENUMBRA_MODEL(M)                                                                          \
  static_assert(::penumbra::Model<M>, #M " does not keep the contract of penumbra/model/model.h"); \
  static_assert(!std::is_final_v<M>, #M " must not be final");                                     \
  extern "C" __attribute__((visibility("default"))) const ::penumbra::Plugin* penumbra_plugin() {  \
    static const std::string abi = ::penumbra::plugin_abi(PENUMBRA_CONTRACT);                      \
    static const ::penumbra::Plugin plugin{abi.c_str(), ::penumbra::plugin_detail::make<M>};       \
    return &plugin;                                                                                \
  }                                                                                                \
  static_assert(true)

// An exported C controller, compiled by the system's compiler and played like any other policy.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "penumbra/io/export_c.h"
#include "penumbra/policy/policy.h"
#include "tests/folder.h"

namespace penumbra {

inline bool compiles(const std::string& compiler, const std::string& arguments) {
  const std::string line = compiler + " -Wall -Wextra -pedantic -Werror " + arguments;
  return std::system(line.c_str()) == 0;
}

// A header and functions around it that a program can find by their names.
class CompiledHeader {
 public:
  CompiledHeader(const std::string& header, const std::string& functions) {
    folder_.write("c.h", header);
    const std::string input = folder_.write("c.c", "#include \"c.h\"\n" + functions);
    const std::string output = folder_.at("c.so");
    EXPECT_TRUE(
        compiles(PENUMBRA_CC, "-std=c99 -shared -fPIC " + input + " -o " + output + " -lm"));
    library_ = dlopen(output.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) throw std::runtime_error(dlerror());
  }
  ~CompiledHeader() {
    if (library_) dlclose(library_);
  }
  CompiledHeader(const CompiledHeader&) = delete;
  CompiledHeader& operator=(const CompiledHeader&) = delete;

  // Null: there is none.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }

 private:
  Folder folder_;
  void* library_ = nullptr;
};

// Takes observations as the controller's int, or, where it has a discretiser, as plain floats.
class CompiledController final : public Policy {
 public:
  explicit CompiledController(const PolicyFile& policy)
      : header_(c_header(policy, "c"),
                functions(policy.seen_dimension > 0, policy.controller().action_width > 0)),
        width_(policy.controller().action_width) {
    start_ = header_.find<int()>("start");
    act_ = header_.find<int(int)>("act");
    act_real_ = header_.find<const float*(int)>("act_real");
    observe_ = header_.find<int(int, int)>("observe");
    discretise_ = header_.find<int(const float*)>("discretise");
  }

  std::string describe() const override { return "a compiled controller"; }
  size_t memory_size() const override { return sizeof(int32_t); }
  void start(Streams, Records memory) const override {
    for (size_t i = 0; i < memory.count; ++i) memory.as<int32_t>(i) = start_();
  }
  void act(Records memory, Streams, Records action) const override {
    for (size_t i = 0; i < memory.count; ++i)
      if (act_real_)
        std::memcpy(action.at(i), act_real_(memory.as<int32_t>(i)), width_ * sizeof(float));
      else
        action.as<int>(i) = act_(memory.as<int32_t>(i));
  }
  void observe(Records memory, ConstRecords, ConstRecords seen, Streams) const override {
    for (size_t i = 0; i < memory.count; ++i) {
      const int o = discretise_ ? discretise_(&seen.as<float>(i)) : index_of(seen, i);
      memory.as<int32_t>(i) = observe_(memory.as<int32_t>(i), o);
    }
  }
  int discretise(const float* seen) const { return discretise_(seen); }

 private:
  static std::string functions(bool clustered, bool real) {
    std::string source =
        "int start(void); int act(int); int observe(int, int); int discretise(const float*);\n"
        "const float* act_real(int);\n"
        "int start(void) { return c_start(); }\n"
        "int observe(int s, int o) { return c_observe(s, o); }\n";
    source += real ? "const float* act_real(int s) { return c_act(s); }\n"
                   : "int act(int s) { return c_act(s); }\n";
    if (clustered) source += "int discretise(const float* seen) { return c_discretise(seen); }\n";
    return source;
  }

  CompiledHeader header_;
  size_t width_;  // of a real action; 0: actions are finite
  const float* (*act_real_)(int) = nullptr;
  int (*start_)() = nullptr;
  int (*act_)(int) = nullptr;
  int (*observe_)(int, int) = nullptr;
  int (*discretise_)(const float*) = nullptr;
};

}  // namespace penumbra

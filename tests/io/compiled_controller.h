// An exported C controller, compiled by the system's compiler and played like any other policy.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
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

// Takes observations as the controller's int, or, where it has a discretiser, as plain floats.
class CompiledController final : public Policy {
 public:
  explicit CompiledController(const PolicyFile& policy) {
    folder_.write("c.h", c_header(policy, "c"));
    std::string source =
        "#include \"c.h\"\n"
        "int start(void); int act(int); int observe(int, int); int discretise(const float*);\n"
        "int start(void) { return c_start(); }\n"
        "int act(int s) { return c_act(s); }\n"
        "int observe(int s, int o) { return c_observe(s, o); }\n";
    if (policy.seen_dimension > 0)
      source += "int discretise(const float* seen) { return c_discretise(seen); }\n";
    const std::string input = folder_.write("c.c", source), output = folder_.at("c.so");
    EXPECT_TRUE(compiles(PENUMBRA_CC, "-std=c99 -shared -fPIC " + input + " -o " + output));
    library_ = dlopen(output.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) throw std::runtime_error(dlerror());
    start_ = reinterpret_cast<int (*)()>(dlsym(library_, "start"));
    act_ = reinterpret_cast<int (*)(int)>(dlsym(library_, "act"));
    observe_ = reinterpret_cast<int (*)(int, int)>(dlsym(library_, "observe"));
    discretise_ = reinterpret_cast<int (*)(const float*)>(dlsym(library_, "discretise"));
  }
  ~CompiledController() override {
    if (library_) dlclose(library_);
  }

  std::string describe() const override { return "a compiled controller"; }
  size_t memory_size() const override { return sizeof(int32_t); }
  void start(Streams, Records memory) const override {
    for (size_t i = 0; i < memory.count; ++i) memory.as<int32_t>(i) = start_();
  }
  void act(Records memory, Streams, Records action) const override {
    for (size_t i = 0; i < memory.count; ++i) action.as<int>(i) = act_(memory.as<int32_t>(i));
  }
  void observe(Records memory, ConstRecords, ConstRecords seen, Streams) const override {
    for (size_t i = 0; i < memory.count; ++i) {
      const int o = discretise_ ? discretise_(&seen.as<float>(i)) : index_of(seen, i);
      memory.as<int32_t>(i) = observe_(memory.as<int32_t>(i), o);
    }
  }
  int discretise(const float* seen) const { return discretise_(seen); }

 private:
  Folder folder_;
  void* library_ = nullptr;
  int (*start_)() = nullptr;
  int (*act_)(int) = nullptr;
  int (*observe_)(int, int) = nullptr;
  int (*discretise_)(const float*) = nullptr;
};

}  // namespace penumbra

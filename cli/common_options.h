// Options that several commands share, and numbers read the way the rest of the program reads them.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace penumbra::cli {

struct CommonOptions {
  uint64_t seed = 1;
  int threads = 0;  // 0: as many as the machine has
  bool json = false;
  bool quiet = false;
};

constexpr int kMaxThreads = 1024;
constexpr uint64_t kMaxEpisodes = 1'000'000'000'000;

// --json and --quiet.
void add_output_options(CLI::App& app, CommonOptions& options);
// All four.
void add_common_options(CLI::App& app, CommonOptions& options);

// An option that takes a whole number from `low` to `high`, written 100000 or 1e5.
CLI::Option* add_count(CLI::App& app, const std::string& name, uint64_t& value, uint64_t low,
                       uint64_t high, const std::string& help);

}  // namespace penumbra::cli

#include "cli/common_options.h"

#include <fmt/format.h>

#include <cmath>

#include "penumbra/base/spec.h"

namespace penumbra::cli {
namespace {

// Whole numbers up to 2^53 may also be written like 1e5.
bool parse_count(const std::string& text, uint64_t& out) {
  int64_t whole;
  if (parse_number(text, whole)) {
    if (whole < 0) return false;
    out = static_cast<uint64_t>(whole);
    return true;
  }
  double number;
  if (!parse_number(text, number) || number < 0 || number > 0x1p53 || number != std::floor(number))
    return false;
  out = static_cast<uint64_t>(number);
  return true;
}

}  // namespace

CLI::Option* add_count(CLI::App& app, const std::string& name, uint64_t& value, uint64_t low,
                       uint64_t high, const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [=, &value](const std::string& text) {
            uint64_t number;
            if (!parse_count(text, number) || number < low || number > high)
              throw CLI::ValidationError(
                  fmt::format("{} must be a whole number from {} to {}, not '{}'", name, low, high,
                              text),
                  CLI::ExitCodes::ValidationError);
            value = number;
          },
          help)
      ->type_name("N");
}

void add_output_options(CLI::App& app, CommonOptions& options) {
  app.add_flag("--json", options.json, "print the result as one JSON object");
  app.add_flag("--quiet", options.quiet, "no progress on stderr");
}

void add_common_options(CLI::App& app, CommonOptions& options) {
  add_count(app, "--seed", options.seed, 0, INT64_MAX, "which random streams (1)");
  app.add_option_function<std::string>(
         "--threads",
         [&options](const std::string& text) {
           uint64_t number;
           if (!parse_count(text, number) || number > kMaxThreads)
             throw CLI::ValidationError(
                 fmt::format("--threads must be a whole number from 0 to {}, not '{}'", kMaxThreads,
                             text),
                 CLI::ExitCodes::ValidationError);
           options.threads = static_cast<int>(number);
         },
         "0: as many as there are cores (0); results do not depend on it")
      ->type_name("N");
  add_output_options(app, options);
}

}  // namespace penumbra::cli

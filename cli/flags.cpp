#include "cli/flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "penumbra/base/spec.h"

namespace penumbra::cli {
namespace {

// Whole numbers up to 2^53 may also be written like 1e5.
bool parse_count(const std::string& text, uint64_t& out) {
  int64_t whole;
  double number;
  if (parse_number(text, whole)) {
    if (whole < 0) return false;
    out = static_cast<uint64_t>(whole);
    return true;
  }
  if (!parse_number(text, number) || number < 0 || number > 0x1p53 || number != std::floor(number))
    return false;
  out = static_cast<uint64_t>(number);
  return true;
}

}  // namespace

void Flags::positional(const char* name, std::string& value, Need need, const char* help) {
  app_.add_option(name, value, help)->required(need == Need::kRequired)->type_name("");
}

void Flags::text(const char* name, std::string& value, Need need, const char* help) {
  app_.add_option(name, value, help)->required(need == Need::kRequired)->type_name("TEXT");
}

void Flags::setting(const Option& option, std::string& value) {
  app_.add_option("--" + option.name, value, fmt::format("{} ({})", option.help, option.fallback))
      ->type_name("")
      ->group("Options of the solver");
}

void Flags::flag(const char* name, bool& value, const char* help) {
  app_.add_flag(name, value, help);
}

void Flags::count(const char* name, uint64_t& value, uint64_t low, uint64_t high,
                  const char* help) {
  auto read = [=, &value](const std::string& text) {
    uint64_t number;
    if (!parse_count(text, number) || number < low || number > high)
      throw CLI::ValidationError(
          fmt::format("{} must be a whole number from {} to {}, not '{}'", name, low, high, text),
          CLI::ExitCodes::ValidationError);
    value = number;
  };
  app_.add_option_function<std::string>(name, read, help)->type_name("N");
}

void Flags::examples(const char* text) {
  app_.footer(text);
}

}  // namespace penumbra::cli

#include "cli/trust.h"

#include <algorithm>
#include <filesystem>

#include "penumbra/runs/plugin.h"

namespace penumbra::cli {
namespace {

std::vector<std::string>& program_arguments() {
  static std::vector<std::string> arguments;
  return arguments;
}

// "--model=boxes.cpp(noise=0.3)" names boxes.cpp.
bool names(const std::string& argument, const std::string& file) {
  const bool is_option = argument.starts_with("-");
  const size_t equals = argument.find('=');
  if (is_option && equals == std::string::npos) return false;
  const std::string text = is_option ? argument.substr(equals + 1) : argument;
  std::error_code error;
  return is_plugin_path(text) && std::filesystem::equivalent(plugin_file(text), file, error);
}

}  // namespace

void remember_arguments(const std::vector<std::string>& arguments) {
  program_arguments() = arguments;
}

bool is_named_or_trusted(const std::string& file) {
  const std::vector<std::string>& arguments = program_arguments();
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    return argument == "--trust" || names(argument, file);
  });
}

}  // namespace penumbra::cli

#include "cli/flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "penumbra/base/error.h"

namespace penumbra::cli {
void Flags::relax_when_set(CLI::Option* option) {
  declared_.back().set = [set = std::move(declared_.back().set), option](const std::string& text) {
    set(text);
    option->required(false);
  };
}

void Flags::positional(const char* name, std::string& value, Need need, const char* help) {
  OptionRecord::positional(name, value, need, help);
  relax_when_set(
      app_->add_option(name, value, help)->required(need == Need::kRequired)->type_name(""));
}

void Flags::text(const char* name, std::string& value, Need need, const char* help) {
  OptionRecord::text(name, value, need, help);
  relax_when_set(
      app_->add_option(name, value, help)->required(need == Need::kRequired)->type_name("TEXT"));
}

void Flags::text_or(const char* name, std::string& value, const char* alone, const char* help) {
  OptionRecord::text_or(name, value, alone, help);
  auto read_flag = [read = declared_.back().set](const std::string& text) {
    read(text.empty() ? "true" : text);
  };
  app_->add_option_function<std::string>(name, read_flag, help)
      ->type_name("[TEXT]")
      ->expected(0, 1);
}

void Flags::setting(const Option& option, std::string& value) {
  OptionRecord::setting(option, value);
  app_->add_option("--" + option.name, value)->type_name("")->group("");
}

void Flags::show_settings(const OptionList& options, const std::string& solver) {
  shown_solver_ = solver;
  for (const Option& option : options.options())
    app_->get_option("--" + option.name)
        ->group("Options of " + solver)
        ->description(fmt::format("{} ({})", option.help, option.fallback));
}

void Flags::flag(const char* name, bool& value, const char* help) {
  OptionRecord::flag(name, value, help);
  app_->add_flag(name, value, help);
}

void Flags::count(const char* name, uint64_t& value, uint64_t low, uint64_t high,
                  const char* help) {
  OptionRecord::count(name, value, low, high, help);
  auto read_flag = [read = declared_.back().set](const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      throw CLI::ValidationError(error.what(), CLI::ExitCodes::ValidationError);
    }
  };
  app_->add_option_function<std::string>(name, read_flag, help)->type_name("N");
}

void Flags::examples(const char* text) {
  app_->footer(text);
}

void Flags::before_parsing(std::function<void(const std::vector<std::string>&)> prepare) {
  prepare_ = std::move(prepare);
}

void Flags::prepare(const std::vector<std::string>& arguments) const {
  if (prepare_) prepare_(arguments);
}

std::string argument_of(const std::vector<std::string>& arguments, const std::string& name) {
  std::string value;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == name && i + 1 < arguments.size()) value = arguments[i + 1];
    if (arguments[i].starts_with(name + "=")) value = arguments[i].substr(name.size() + 1);
  }
  return value;
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  return std::count(arguments.begin(), arguments.end(), "--help") +
             std::count(arguments.begin(), arguments.end(), "-h") >
         0;
}

}  // namespace penumbra::cli

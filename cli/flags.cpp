#include "cli/flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"
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

// "-o,--output" is `output` in a file.
std::string key_of(const std::string& names) {
  return names.substr(names.rfind("--") + 2);
}

// A value from elsewhere makes a required option optional on the command line.
Declared text_option(std::string key, std::string& value, CLI::Option* option) {
  return {std::move(key), Declared::Kind::kText, [&value] { return value; },
          [&value, option](const std::string& text) {
            value = text;
            if (option) option->required(false);
          }};
}

}  // namespace

void Flags::positional(const char* name, std::string& value, Need need, const char* help) {
  CLI::Option* option = nullptr;
  if (app_)
    option = app_->add_option(name, value, help)->required(need == Need::kRequired)->type_name("");
  std::string key = name;
  for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  declared_.push_back(text_option(key, value, option));
}

void Flags::text(const char* name, std::string& value, Need need, const char* help) {
  CLI::Option* option = nullptr;
  if (app_)
    option =
        app_->add_option(name, value, help)->required(need == Need::kRequired)->type_name("TEXT");
  declared_.push_back(text_option(key_of(name), value, option));
}

void Flags::setting(const Option& option, std::string& value) {
  if (app_) app_->add_option("--" + option.name, value)->type_name("")->group("");
  declared_.push_back({option.name, Declared::Kind::kSetting, [&value] { return value; },
                       [&value](const std::string& text) { value = text; }});
}

void Flags::show_settings(const OptionList& options, const std::string& solver) {
  if (!app_) return;
  shown_solver_ = solver;
  for (const Option& option : options.options())
    app_->get_option("--" + option.name)
        ->group("Options of " + solver)
        ->description(fmt::format("{} ({})", option.help, option.fallback));
}

void Flags::flag(const char* name, bool& value, const char* help) {
  if (app_) app_->add_flag(name, value, help);
  const std::string key = key_of(name);
  declared_.push_back(
      {key, Declared::Kind::kFlag, [&value] { return std::string(value ? "true" : "false"); },
       [key, &value](const std::string& text) {
         if (text != "true" && text != "false" && text != "1" && text != "0")
           throw Error(fmt::format("{} must be true or false, not '{}'", key, text));
         value = text == "true" || text == "1";
       }});
}

void Flags::count(const char* name, uint64_t& value, uint64_t low, uint64_t high,
                  const char* help) {
  auto read = [=, &value](const std::string& text) {
    uint64_t number;
    if (!parse_count(text, number) || number < low || number > high)
      throw Error(
          fmt::format("{} must be a whole number from {} to {}, not '{}'", name, low, high, text));
    value = number;
  };
  if (app_) {
    auto read_flag = [read](const std::string& text) {
      try {
        read(text);
      } catch (const Error& error) {
        throw CLI::ValidationError(error.what(), CLI::ExitCodes::ValidationError);
      }
    };
    app_->add_option_function<std::string>(name, read_flag, help)->type_name("N");
  }
  declared_.push_back(
      {key_of(name), Declared::Kind::kCount, [&value] { return std::to_string(value); }, read});
}

void Flags::examples(const char* text) {
  if (app_) app_->footer(text);
}

void Flags::before_parsing(std::function<void(const std::vector<std::string>&)> prepare) {
  prepare_ = std::move(prepare);
}

void Flags::prepare(const std::vector<std::string>& arguments) const {
  if (prepare_) prepare_(arguments);
}

std::vector<std::string> Flags::keys() const {
  std::vector<std::string> names;
  for (const Declared& d : declared_) names.push_back(d.key);
  return names;
}

void Flags::set(const std::string& key, const std::string& value, const std::string& where) const {
  const auto at = std::find_if(declared_.begin(), declared_.end(),
                               [&](const Declared& d) { return d.key == key; });
  if (at == declared_.end()) {
    throw Error(fmt::format("{}there is no option '{}'{}", where, key, did_you_mean(key, keys())));
  }
  try {
    at->set(value);
  } catch (const Error& error) {
    throw Error(where + error.what());
  }
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

#include "penumbra/runs/option_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"

namespace penumbra {
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

Declared text_option(std::string key, std::string& value) {
  return {std::move(key), Declared::Kind::kText, [&value] { return value; },
          [&value](const std::string& text) { value = text; }};
}

}  // namespace

void OptionRecord::positional(const char* name, std::string& value, Need, const char*) {
  std::string key = name;
  for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  declared_.push_back(text_option(key, value));
}

void OptionRecord::text(const char* name, std::string& value, Need, const char*) {
  declared_.push_back(text_option(key_of(name), value));
}

void OptionRecord::text_or(const char* name, std::string& value, const char* alone, const char*) {
  declared_.push_back(text_option(key_of(name), value));
  declared_.back().set = [&value, alone](const std::string& text) {
    value = text == "true" ? alone : text == "false" ? "" : text;
  };
}

void OptionRecord::setting(const Option& option, std::string& value) {
  declared_.push_back(text_option(option.name, value));
  declared_.back().kind = Declared::Kind::kSetting;
}

void OptionRecord::flag(const char* name, bool& value, const char*) {
  const std::string key = key_of(name);
  declared_.push_back(
      {key, Declared::Kind::kFlag, [&value] { return std::string(value ? "true" : "false"); },
       [key, &value](const std::string& text) {
         if (text != "true" && text != "false" && text != "1" && text != "0")
           throw Error(fmt::format("{} must be true or false, not '{}'", key, text));
         value = text == "true" || text == "1";
       }});
}

void OptionRecord::count(const char* name, uint64_t& value, uint64_t low, uint64_t high,
                         const char*) {
  auto read = [=, &value](const std::string& text) {
    uint64_t number;
    if (!parse_count(text, number) || number < low || number > high)
      throw Error(
          fmt::format("{} must be a whole number from {} to {}, not '{}'", name, low, high, text));
    value = number;
  };
  declared_.push_back(
      {key_of(name), Declared::Kind::kCount, [&value] { return std::to_string(value); }, read});
}

std::vector<std::string> OptionRecord::keys() const {
  std::vector<std::string> names;
  for (const Declared& d : declared_) names.push_back(d.key);
  return names;
}

void OptionRecord::set(const std::string& key, const std::string& value,
                       const std::string& where) const {
  const auto at = std::find_if(declared_.begin(), declared_.end(),
                               [&](const Declared& d) { return d.key == key; });
  if (at == declared_.end())
    throw Error(fmt::format("{}there is no option '{}'{}", where, key, did_you_mean(key, keys())));
  try {
    at->set(value);
  } catch (const Error& error) {
    throw Error(where + error.what());
  }
}

}  // namespace penumbra

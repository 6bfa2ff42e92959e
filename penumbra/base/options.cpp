#include "penumbra/base/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"

namespace penumbra {
namespace {

[[noreturn]] void bad(const std::string& name, const std::string& value,
                      const std::string& allowed) {
  throw Error(fmt::format("{}={} is not allowed; {} must be {}", name, value, name, allowed));
}

}  // namespace

void OptionList::add(const std::string& name, int& field, int low, int high,
                     const std::string& help) {
  const std::string allowed = fmt::format("an integer from {} to {}", low, high);
  options_.push_back({name, help, allowed, std::to_string(field),
                      [&field] { return std::to_string(field); },
                      [=, &field](const std::string& text) {
                        int64_t value;
                        if (!parse_number(text, value) || value < low || value > high)
                          bad(name, text, allowed);
                        field = static_cast<int>(value);
                      }});
}

void OptionList::add(const std::string& name, uint64_t& field, const std::string& help) {
  const std::string allowed = "a whole number of 0 or more";
  options_.push_back({name, help, allowed, std::to_string(field),
                      [&field] { return std::to_string(field); },
                      [=, &field](const std::string& text) {
                        int64_t value;
                        if (!parse_number(text, value) || value < 0) bad(name, text, allowed);
                        field = static_cast<uint64_t>(value);
                      }});
}

void OptionList::add(const std::string& name, double& field, double low, double high,
                     const std::string& help) {
  const std::string allowed = fmt::format("a number from {:g} to {:g}", low, high);
  options_.push_back({name, help, allowed, fmt::format("{:g}", field),
                      [&field] { return fmt::format("{}", field); },
                      [=, &field](const std::string& text) {
                        double value;
                        if (!parse_number(text, value) || value < low || value > high)
                          bad(name, text, allowed);
                        field = value;
                      }});
}

void OptionList::add(const std::string& name, bool& field, const std::string& help) {
  options_.push_back({name, help, "true or false", field ? "true" : "false",
                      [&field] { return std::string(field ? "true" : "false"); },
                      [=, &field](const std::string& text) {
                        if (text != "true" && text != "false" && text != "1" && text != "0")
                          bad(name, text, "true or false");
                        field = text == "true" || text == "1";
                      }});
}

void OptionList::add(const std::string& name, std::string& field,
                     const std::vector<std::string>& choices, const std::string& help) {
  const std::string allowed = fmt::format("one of {}", fmt::join(choices, ", "));
  options_.push_back({name, help, allowed, field, [&field] { return field; },
                      [=, &field](const std::string& text) {
                        if (std::find(choices.begin(), choices.end(), text) == choices.end())
                          bad(name, text, allowed);
                        field = text;
                      }});
}

void OptionList::add_all(const OptionList& other, const std::string& prefix) {
  for (Option option : other.options_) {
    option.name = prefix + "-" + option.name;
    options_.push_back(std::move(option));
  }
}

void OptionList::set(const std::string& name, const std::string& value) {
  std::vector<std::string> names;
  for (const Option& option : options_) {
    if (option.name == name) return option.set(value);
    names.push_back(option.name);
  }
  throw Error(fmt::format("there is no option '{}'{}", name, did_you_mean(name, names)));
}

}  // namespace penumbra

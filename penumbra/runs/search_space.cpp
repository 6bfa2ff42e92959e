#include "penumbra/runs/search_space.h"

#include <fmt/format.h>

#include <algorithm>

#include "penumbra/runs/solve_options.h"
#include "penumbra/runs/toml.h"

namespace penumbra {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  SearchSpace read(const toml::table& root) const {
    SearchSpace space;
    space.file = file_;
    for (const auto& [key, node] : root) {
      const std::string table(key.str());
      if ((table != "space" && table != "fixed") || !node.is_table())
        fail(node, fmt::format("'{}' has no place here; there are the tables [space] and [fixed]",
                               table));
    }
    if (const toml::table* ranges = root["space"].as_table())
      for (const auto& [name, node] : toml_entries(*ranges)) {
        space.ranges.push_back(range(name, *node));
        space.lines.push_back(node->source().begin.line);
      }
    if (const toml::table* fixed = root["fixed"].as_table())
      for (const auto& [name, node] : toml_entries(*fixed))
        space.fixed.emplace_back(name, toml_text(*node, file_, name));
    if (space.ranges.empty())
      throw Error(file_ + ": there is nothing to search; give ranges under [space]");
    for (const auto& [name, value] : space.fixed)
      for (const Range& r : space.ranges)
        if (r.name == name) throw Error(fmt::format("{}: {} is searched and fixed", file_, name));
    return space;
  }

 private:
  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    toml_fail(file_, node.source(), what);
  }

  Range range(const std::string& name, const toml::node& node) const {
    Range r;
    r.name = name;
    if (const toml::array* choices = node.as_array()) {
      for (const toml::node& choice : *choices) r.choices.push_back(toml_text(choice, file_, name));
      if (r.choices.empty()) fail(node, name + " has no choices");
      return r;
    }
    const toml::table* table = node.as_table();
    if (!table)
      fail(node, fmt::format("{} must be a list of choices or {{ low = ..., high = ... }}", name));
    bool low = false, high = false;
    for (const auto& [key, value] : *table) {
      const std::string word(key.str());
      if (word == "low" || word == "high") {
        const auto number = value.value<double>();
        if (!number) fail(value, fmt::format("{} of {} must be a number", word, name));
        (word == "low" ? r.low : r.high) = *number;
        (word == "low" ? low : high) = true;
      } else if (word == "log" || word == "whole") {
        const auto flag = value.value<bool>();
        if (!flag) fail(value, fmt::format("{} of {} must be true or false", word, name));
        (word == "log" ? r.log : r.whole) = *flag;
      } else {
        fail(value, fmt::format("a range has low, high, log and whole, not '{}'", word));
      }
    }
    if (!low || !high) fail(node, name + " needs low and high");
    try {
      r.validate();
    } catch (const Error& error) {
      fail(node, error.what());
    }
    return r;
  }

  const std::string& file_;
};

// Its ends are allowed; what about a value between them?
bool takes_fractions(OptionList& options, const Range& range) {
  try {
    options.set(range.name, fmt::format("{}", std::min(range.low + 0.5, range.high)));
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace

SearchSpace SearchSpace::parse(const std::string& text, const std::string& name) {
  return Reader(name).read(parse_toml(text, name));
}

void SearchSpace::fit_to(const std::string& solver, OptionList options) {
  for (const auto& [name, value] : fixed) set_setting(options, solver, name, value);
  for (size_t i = 0; i < ranges.size(); ++i) try {
      Range& range = ranges[i];
      for (const std::string& choice : range.choices)
        set_setting(options, solver, range.name, choice);
      if (!range.choices.empty()) continue;
      set_setting(options, solver, range.name, range.text(0));
      set_setting(options, solver, range.name, range.text(1));
      range.whole = range.whole || !takes_fractions(options, range);
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", file, lines[i], error.what()));
    }
}

}  // namespace penumbra

// What all readers of TOML files share. Include it in sources alone: the library compiles slowly.
#pragma once

#include <fmt/format.h>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "penumbra/base/error.h"

namespace penumbra {

[[noreturn]] inline void toml_fail(const std::string& file, const toml::source_region& at,
                                   const std::string& what) {
  throw Error(fmt::format("{}:{}: {}", file, at.begin.line, what));
}

// Throws Error with file and line.
inline toml::table parse_toml(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    toml_fail(file, error.source(), std::string(error.description()));
  }
}

// A value as it would be written on the command line.
inline std::string toml_text(const toml::node& node, const std::string& file,
                             const std::string& key) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  toml_fail(file, node.source(), key + " must be a text, a number, true or false");
}

// The library sorts keys by name; these are in the order of the file.
inline std::vector<std::pair<std::string, const toml::node*>> toml_entries(
    const toml::table& table) {
  std::vector<std::pair<std::string, const toml::node*>> entries;
  for (const auto& [key, node] : table) entries.emplace_back(std::string(key.str()), &node);
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return a.second->source().begin.line < b.second->source().begin.line;
  });
  return entries;
}

}  // namespace penumbra

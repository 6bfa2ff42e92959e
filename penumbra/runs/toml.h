// What all readers of TOML files share. Include it in sources alone: the library compiles slowly.
#pragma once

#include <fmt/format.h>

#define TOML_EXCEPTIONS 1
// Its parser asserts what a file may break and reports right after: "[(" where a table begins.
#define TOML_ASSERT(expression) static_assert(true)
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

// The place of the first character beyond ASCII that is neither in quotes nor in a comment, or that
// follows a backslash, where TOML has no place for it and the library's parser has no answer; npos:
// there is none. Of a file that is TOML but for such characters.
inline size_t beyond_ascii(const std::string& text) {
  const size_t size = text.size();
  size_t i = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (i < size) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x80) return i;
    if (c == '#') {
      i = std::min(size, text.find('\n', i));
    } else if (c == '"' || c == '\'') {
      const std::string three(3, c);
      const bool lines = text.compare(i, 3, three) == 0;
      for (i += lines ? 3 : 1; i < size; ++i) {
        if (c == '"' && text[i] == '\\') {
          const size_t next = lines ? text.find_first_not_of(" \t\r\n", i + 1) : i + 1;
          if (next < size && static_cast<unsigned char>(text[next]) >= 0x80) return next;
          ++i;
        } else if (lines ? text.compare(i, 3, three) == 0 : text[i] == c || text[i] == '\n')
          break;
      }
      i += lines ? 3 : 1;
      for (int more = 0; lines && more < 2 && i < size && text[i] == c; ++more) ++i;
    } else {
      ++i;
    }
  }
  return std::string::npos;
}

// Throws Error with file and line.
inline toml::table parse_toml(const std::string& text, const std::string& file) {
  try {
    std::string plain = text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
    std::replace_if(
        plain.begin(), plain.end(), [](unsigned char c) { return c >= 0x80; }, 'x');
    if (plain != text) static_cast<void>(toml::parse(plain, file));
    if (const size_t at = beyond_ascii(text); at != std::string::npos)
      throw Error(fmt::format(
          "{}:{}: a character beyond ASCII outside of quotes or after a backslash: put names that "
          "have one in quotes",
          file, 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n')));
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

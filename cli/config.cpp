#include "cli/config.h"

#include <fmt/format.h>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "penumbra/base/error.h"

namespace penumbra::cli {
namespace {

[[noreturn]] void fail(const std::string& file, const toml::source_region& at,
                       const std::string& what) {
  throw Error(fmt::format("{}:{}: {}", file, at.begin.line, what));
}

std::string text_of(const toml::node& node, const std::string& file, const std::string& key) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  fail(file, node.source(), fmt::format("{} must be a text, a number, true or false", key));
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + '"';
}

}  // namespace

std::map<std::string, ConfigTable> parse_config(const std::string& text, const std::string& name) {
  std::map<std::string, ConfigTable> tables;
  try {
    const toml::table root = toml::parse(text, name);
    for (const auto& [key, node] : root) {
      const std::string command(key.str());
      const toml::table* table = node.as_table();
      if (!table)
        fail(name, node.source(),
             fmt::format("{} stands outside a table; options of a command go under its name, such "
                         "as [solve]",
                         command));
      std::vector<std::pair<toml::source_index, std::pair<std::string, std::string>>> entries;
      for (const auto& [option, value] : *table) {
        const std::string word(option.str());
        entries.push_back({value.source().begin.line, {word, text_of(value, name, word)}});
      }
      std::stable_sort(entries.begin(), entries.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (auto& [line, entry] : entries) tables[command].push_back(std::move(entry));
      tables[command];
    }
  } catch (const toml::parse_error& error) {
    fail(name, error.source(), std::string(error.description()));
  }
  return tables;
}

std::map<std::string, ConfigTable> read_config(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf()))
    throw Error(fmt::format("cannot read the configuration file '{}'", path));
  return parse_config(text.str(), path);
}

std::string write_config(const std::string& command, const ConfigTable& table, const Flags& flags) {
  std::string out = fmt::format("[{}]\n", command);
  for (const auto& [key, value] : table) {
    const auto& all = flags.declared();
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const Declared& d) { return d.key == key; });
    const bool bare = at != all.end() &&
                      (at->kind == Declared::Kind::kCount || at->kind == Declared::Kind::kFlag);
    out += fmt::format("{} = {}\n", key, bare ? value : quoted(value));
  }
  return out;
}

void read_environment(const Flags& flags) {
  for (const Declared& option : flags.declared()) {
    std::string name = "PENUMBRA_" + option.key;
    for (char& c : name)
      c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (const char* value = std::getenv(name.c_str())) flags.set(option.key, value, name + ": ");
  }
}

}  // namespace penumbra::cli

#include "penumbra/runs/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "penumbra/runs/read_text.h"
#include "penumbra/runs/toml.h"

namespace penumbra {
namespace {

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
  const toml::table root = parse_toml(text, name);
  for (const auto& [key, node] : root) {
    const std::string command(key.str());
    const toml::table* table = node.as_table();
    if (!table)
      toml_fail(name, node.source(),
                fmt::format("{} stands outside a table; options of a command go under its name, "
                            "such as [solve]",
                            command));
    ConfigTable& options = tables[command];
    for (const auto& [word, value] : toml_entries(*table))
      options.emplace_back(word, toml_text(*value, name, word));
  }
  return tables;
}

std::map<std::string, ConfigTable> read_config(const std::string& path) {
  return parse_config(read_text(path, "the configuration file"), path);
}

std::string write_config(const std::string& command, const ConfigTable& table,
                         const OptionRecord& options) {
  std::string out = fmt::format("[{}]\n", command);
  for (const auto& [key, value] : table) {
    const auto& all = options.declared();
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&name = key](const Declared& d) { return d.key == name; });
    const bool bare = at != all.end() &&
                      (at->kind == Declared::Kind::kCount || at->kind == Declared::Kind::kFlag);
    out += fmt::format("{} = {}\n", key, bare ? value : quoted(value));
  }
  return out;
}

void read_environment(const OptionRecord& options) {
  for (const Declared& option : options.declared()) {
    std::string name = "PENUMBRA_" + option.key;
    for (char& c : name)
      c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (const char* value = std::getenv(name.c_str())) options.set(option.key, value, name + ": ");
  }
}

}  // namespace penumbra

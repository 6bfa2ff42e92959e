#include "penumbra/runs/experiment_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "penumbra/base/spec.h"
#include "penumbra/runs/toml.h"

namespace penumbra {
namespace {

FileTable read_table(const toml::table& from, const std::string& file, const std::string& name) {
  FileTable out{file, name, from.source().begin.line, {}};
  for (const auto& [key, node] : toml_entries(from)) {
    FileTable::Value value{key, {}, node->is_array(), node->source().begin.line};
    if (const toml::array* list = node->as_array())
      for (const toml::node& item : *list) value.texts.push_back(toml_text(item, file, key));
    else
      value.texts.push_back(toml_text(*node, file, key));
    out.values.push_back(std::move(value));
  }
  return out;
}

std::vector<FileTable> read_list(const toml::node& node, const std::string& file,
                                 const std::string& key) {
  std::vector<FileTable> out;
  const std::string name = "[[" + key + "]]";
  const toml::array* list = node.as_array();
  const FileTable here{file, name, node.source().begin.line, {}};
  if (!list) here.fail(here.line, key + " is a list of tables: begin each with " + name);
  for (const toml::node& item : *list) {
    if (!item.as_table()) here.fail(item.source().begin.line, key + " is a list of tables");
    out.push_back(read_table(*item.as_table(), file, name));
  }
  return out;
}

}  // namespace

void FileTable::fail(size_t at, const std::string& what) const {
  throw Error(fmt::format("{}:{}: {}", file, at, what));
}

size_t FileTable::line_of(const std::string& key) const {
  for (const Value& value : values)
    if (value.key == key) return value.line;
  return line;
}

std::optional<FileTable::Value> FileTable::take(const std::string& key) {
  const auto at = std::find_if(values.begin(), values.end(),
                               [&](const Value& value) { return value.key == key; });
  if (at == values.end()) return std::nullopt;
  Value value = std::move(*at);
  values.erase(at);
  return value;
}

std::optional<std::string> FileTable::text(const std::string& key) {
  const std::optional<Value> value = take(key);
  if (!value) return std::nullopt;
  if (value->list) fail(value->line, key + " must be one value, not a list");
  return value->texts[0];
}

std::string FileTable::required(const std::string& key) {
  std::optional<std::string> value = text(key);
  if (!value) fail(line, fmt::format("{} needs {}", name, key));
  return *value;
}

std::optional<double> FileTable::number(const std::string& key) {
  const std::optional<std::string> value = text(key);
  double out;
  if (!value) return std::nullopt;
  if (!parse_number(*value, out)) fail(line, key + " must be a number, not '" + *value + "'");
  return out;
}

std::optional<uint64_t> FileTable::count(const std::string& key) {
  const std::optional<std::string> value = text(key);
  int64_t out;
  if (!value) return std::nullopt;
  if (!parse_number(*value, out) || out < 0)
    fail(line, key + " must be a whole number, not '" + *value + "'");
  return static_cast<uint64_t>(out);
}

std::vector<std::string> FileTable::list(const std::string& key) {
  const std::optional<Value> value = take(key);
  return value ? value->texts : std::vector<std::string>{};
}

void FileTable::finish(const std::vector<std::string>& known) const {
  if (values.empty()) return;
  fail(values[0].line, fmt::format("{} has no key '{}'{}; it has {}", name, values[0].key,
                                   did_you_mean(values[0].key, known), fmt::join(known, ", ")));
}

ExperimentFile parse_experiment_file(const std::string& text, const std::string& file) {
  ExperimentFile out;
  out.top = {file, "an experiment", 1, {}};
  out.defaults = {file, "[defaults]", 1, {}};
  const toml::table root = parse_toml(text, file);
  for (const auto& [word, node] : root) {
    const std::string key(word.str());
    const size_t line = node.source().begin.line;
    if (key == "models") {
      out.models = read_list(node, file, key);
    } else if (key == "solvers") {
      out.solvers = read_list(node, file, key);
    } else if (key == "overrides") {
      out.overrides = read_list(node, file, key);
    } else if (key == "figures") {
      out.figures = read_list(node, file, key);
    } else if (key == "published") {
      out.published = read_list(node, file, key);
    } else if (key == "defaults") {
      if (!node.as_table()) out.top.fail(line, "[defaults] is a table");
      out.defaults = read_table(*node.as_table(), file, "[defaults]");
    } else if (key == "scales") {
      if (!node.as_table()) out.top.fail(line, "scales are tables such as [scales.smoke]");
      for (const auto& [scale, table] : *node.as_table()) {
        if (!table.as_table()) out.top.fail(line, "scales are tables such as [scales.smoke]");
        out.scales.push_back(read_table(*table.as_table(), file, std::string(scale.str())));
      }
    } else {
      // A table that is not known is told of as a key is.
      FileTable::Value value{key, {}, !node.is_value(), line};
      if (!value.list) value.texts.push_back(toml_text(node, file, key));
      out.top.values.push_back(std::move(value));
    }
  }
  return out;
}

}  // namespace penumbra

// The TOML side of an experiment: tables whose every key must be known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "penumbra/runs/config.h"

namespace penumbra {

// One table of the file. What is read is taken out; finish() complains about the rest.
struct FileTable {
  struct Value {
    std::string key;
    std::vector<std::string> texts;  // one, or those of a list
    bool list = false;
    size_t line = 0;
  };
  std::string file, name;  // name: for messages, such as [[models]]
  size_t line = 0;
  std::vector<Value> values;

  [[noreturn]] void fail(size_t at, const std::string& what) const;
  // Where a value stands that was not taken yet; the table's line if it is not there.
  size_t line_of(const std::string& key) const;
  // The value as it is on the command line; nothing where it is not given.
  std::optional<std::string> text(const std::string& key);
  std::string required(const std::string& key);
  std::optional<double> number(const std::string& key);
  std::optional<uint64_t> count(const std::string& key);
  // A text counts as a list of one.
  std::vector<std::string> list(const std::string& key);
  // Throws Error for the first key that nobody took, offering the nearest of `known`.
  void finish(const std::vector<std::string>& known) const;

 private:
  std::optional<Value> take(const std::string& key);
};

struct ExperimentFile {
  FileTable top, defaults;
  std::vector<FileTable> scales;  // name: the scale's
  std::vector<FileTable> models, solvers, overrides, figures, published;
};

ExperimentFile parse_experiment_file(const std::string& text, const std::string& file);

}  // namespace penumbra

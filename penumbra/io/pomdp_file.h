// Cassandra's .pomdp format, read completely: names and indices, wildcards, later entries over
// earlier ones, uniform, identity, reset, start include and exclude, costs, rewards of all four
// arguments, and files without observations (MDPs: the state is visible). docs/formats.md gives
// the grammar, the dialects that are read with a warning, and what is refused.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "penumbra/io/source_text.h"
#include "penumbra/model/tabular.h"

namespace penumbra {

struct FactoredModel;

// A model and what a person should know about its file.
struct ModelFile {
  Tabular table;
  std::vector<std::string> warnings{};
  // The variables as a POMDPX file had them, for writing them again; otherwise null.
  std::shared_ptr<const FactoredModel> factored{};
};

// Throws Error with file, line, column, the line and a caret.
ModelFile read_pomdp_file(const std::string& path, const ReadOptions& options = {});
// The same from memory; `path` is only for messages.
ModelFile read_pomdp_text(std::string path, std::string text, const ReadOptions& options = {});

// Probabilities and rewards to the last bit. What is visible becomes part of the observation,
// because the format has no other place for it.
std::string write_pomdp_text(const Tabular& table);

}  // namespace penumbra

// POMDPX: any number of state, action, observation and reward variables, mixed observability,
// tables (TBL) and decision diagrams (DD). docs/formats.md tells what is read and what refused.
#pragma once

#include <string>

#include "penumbra/io/pomdp_file.h"

namespace penumbra {

// Throws Error with file, line, column, the line and a caret. States are numbered with the fully
// observed variables first and slowest; otherwise in the order of the file.
ModelFile read_pomdpx_file(const std::string& path, const ReadOptions& options = {});
// The same from memory; `path` is only for messages.
ModelFile read_pomdpx_text(std::string path, std::string text, const ReadOptions& options = {});

// Factored and mixed-observability where the table is; reading it gives the same table, bit for
// bit. With `flat`, or where no factored form has the same bits, one state variable is written and
// what is visible becomes part of the observation.
std::string write_pomdpx_text(const Tabular& table, bool flat = false);
// With the variables, of every kind, that a file had.
std::string write_pomdpx_text(const FactoredModel& model);

}  // namespace penumbra

// What the tests of the readers share.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "penumbra/base/error.h"
#include "penumbra/model/tabular.h"
#include "tests/error_of.h"

namespace penumbra {

inline std::string data_file(const std::string& name) {
  return std::string(PENUMBRA_SOURCE) + "/tests/data/" + name;
}

// The folder of public models that are not part of the project, or empty.
inline std::string models_folder() {
  const char* given = std::getenv("PENUMBRA_MODELS");
  const std::string folder = given ? given : std::string(PENUMBRA_SOURCE) + "/../shared/models";
  return std::filesystem::is_directory(folder) ? folder : "";
}

using Matrix = std::vector<std::vector<double>>;
inline Matrix dense(const SparseRows& rows, int num_columns) {
  Matrix out(rows.num_rows(), std::vector<double>(num_columns, 0.0));
  for (int r = 0; r < rows.num_rows(); ++r)
    for (const auto& e : rows.row(r)) out[r][e.column] += e.value;
  return out;
}

// Every number of two tables, and what is visible: the same bits.
inline bool same_bits(const Tabular& a, const Tabular& b) {
  return a.num_states == b.num_states && a.num_actions == b.num_actions &&
         a.num_observations == b.num_observations && a.discount == b.discount &&
         a.start == b.start && a.reward == b.reward && a.transition == b.transition &&
         a.observation == b.observation && a.terminal == b.terminal && a.visible == b.visible &&
         a.num_visible == b.num_visible;
}

}  // namespace penumbra

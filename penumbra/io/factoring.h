// The way back from a table to its variables: which variable depends on which.
#pragma once

#include <optional>

#include "penumbra/io/factored_model.h"

namespace penumbra {

// A factored model whose table is this one, bit for bit; a tidy table (flat_table.h) is expected.
// Tries the table's own variables, then the visible part and the rest as two, and gives up when
// neither has the same bits (two random variables of one row may have been rounded together).
std::optional<FactoredModel> factored(const Tabular& table);
// With one state variable. Always possible when nothing is visible, or all.
FactoredModel unfactored(const Tabular& table);

}  // namespace penumbra

// Forms of a table that the writers share.
#pragma once

#include <string>
#include <vector>

#include "penumbra/model/tabular.h"

namespace penumbra {

// The same table with sorted rows and without zeros: what a reader gives.
Tabular tidy(Tabular table);
// What is visible becomes part of the observation; pairs that never occur are left out.
Tabular flattened(const Tabular& table);
// Whether everything is visible and nothing else is observed.
bool is_mdp(const Tabular& table);

// Names that both formats can hold (letters, digits, _ and -, beginning with a letter, all
// different), or none if these cannot be turned into such. Words in `reserved` are not used.
std::vector<std::string> plain_names(std::vector<std::string> names,
                                     const std::vector<std::string>& reserved = {});

}  // namespace penumbra

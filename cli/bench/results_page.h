// The page of results: the table, where we stand, the comparisons and the figures of a bench, as
// Markdown with its SVG files beside it.
#pragma once

#include <string>

#include "cli/bench/table.h"

namespace penumbra::cli {

// Writes table.json, table.md, table.csv and figures/ into the folder of the bench.
void write_tables(const BenchFolder& folder, const Table& table);
// Writes `path`, and the figures into a folder of its name without the ending.
void write_results_page(const BenchFolder& folder, const Table& table, const std::string& path);
// Where ours is below what others published or another of ours; Markdown.
std::string standing(const Table& table);

}  // namespace penumbra::cli

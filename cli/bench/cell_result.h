// The result of a cell, from what its run left behind.
#pragma once

#include <optional>
#include <string>

#include "cli/bench/bench_folder.h"

namespace penumbra::cli {

// The end of the cell's run; nothing where it has not come to one.
std::optional<Json> finished_result(const BenchFolder& folder, const Cell& cell,
                                    double wall_seconds);
// `status`: "failed" or "not applicable".
Json unfinished_result(const Cell& cell, const std::string& status, const std::string& problem);
// The last line that the cell's process said.
std::string last_words(const BenchFolder& folder, const Cell& cell);
// The threads that the cell states.
int threads_of(const Cell& cell);

}  // namespace penumbra::cli

// The figures of a bench, from its table and from the logs of its cells.
#pragma once

#include "cli/bench/table.h"
#include "penumbra/io/svg_chart.h"

namespace penumbra::cli {

// kind "bounds": upper and simulated (or proven lower) value over backups, of one run each, with
// the published scores of online planners; "parameter": score by the value that a group varies;
// "score-by-nodes", "score-by-time": how good a policy was when it had so many nodes, or after so
// long.
Chart make_figure(const BenchFolder& folder, const Table& table, const FigureRow& figure);

}  // namespace penumbra::cli

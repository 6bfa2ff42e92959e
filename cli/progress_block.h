// A solve under way as a block of lines for a terminal: phase, bar towards the limit, value with
// its interval, a curve of the value over time, what was accepted last, and the work done. It is a
// function of what is known and how it may look; who shows it in place is cli/live_block.h.
#pragma once

#include <string>
#include <vector>

#include "cli/styled_line.h"
#include "penumbra/runs/run_state.h"

namespace penumbra::cli {

struct BlockStyle {
  int columns = 80, rows = 24;  // of the terminal
  bool unicode = true;
  bool colours = true;
};

class ProgressBlock {
 public:
  explicit ProgressBlock(const BlockStyle& style);

  // `seconds`: of the run up to now. `note`: a last line; empty: none. Every line is at most one
  // column narrower than the terminal, and there are fewer than it has rows.
  std::vector<std::string> lines(const RunState& state, double seconds,
                                 const std::string& note = "") const;

 private:
  StyledLine head(const RunState& state) const;
  StyledLine bar(const RunState& state, double seconds) const;
  StyledLine value(const RunState& state) const;
  std::vector<StyledLine> curve(const RunState& state, double seconds) const;
  StyledLine accepted(const RunState& state) const;
  StyledLine work(const RunState& state) const;
  std::string interval(const Estimate& value) const;

  BlockStyle style_;
  int columns_;  // that lines may take
};

// "3.2 s", "45 s", "12.5 min", "3.0 h"
std::string duration_text(double seconds);

}  // namespace penumbra::cli

// Searching for good values of options: ranges, random proposals, and proposals that follow what
// has been tried (the tree-structured Parzen estimator of Bergstra et al. 2011, each range by
// itself). A point has one coordinate per range, from 0 to 1.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "penumbra/base/rng.h"

namespace penumbra {

struct Range {
  std::string name;
  double low = 0, high = 1;  // unless there are choices
  bool log = false;          // by its logarithm
  bool whole = false;
  std::vector<std::string> choices{};

  // Throws Error for limits in the wrong order, logarithms of what is not above 0, no choices.
  void validate() const;
  // The value at a coordinate, as it is written on the command line.
  std::string text(double coordinate) const;
};

struct Tried {
  std::vector<double> point;
  double score = 0;  // more is better
};

std::vector<double> propose_random(std::span<const Range> ranges, Rng& rng);
// Where points in the upper quarter are dense and the others are not; random while few were tried.
std::vector<double> propose_parzen(std::span<const Range> ranges, std::span<const Tried> tried,
                                   Rng& rng);

// For each range the share of the variance of the scores that it explains alone: between groups of
// equal choices or fifths of the range, adjusted for the number of groups, at least 0.
std::vector<double> importance(std::span<const Range> ranges, std::span<const Tried> tried);

}  // namespace penumbra

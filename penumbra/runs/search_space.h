// The file of `penumbra tune` (TOML): which options are searched, and which are fixed beside them.
//
//   [space]
//   rate = { low = 1e-5, high = 1e-3, log = true }
//   epochs = { low = 2, high = 8, whole = true }
//   lanes = [64, 128, 256]
//
//   [fixed]
//   hidden = 128
#pragma once

#include <string>
#include <vector>

#include "penumbra/base/options.h"
#include "penumbra/base/parameter_search.h"
#include "penumbra/runs/config.h"

namespace penumbra {

struct SearchSpace {
  std::string file;
  std::vector<Range> ranges;  // in the order of the file
  std::vector<size_t> lines;  // of the ranges
  ConfigTable fixed;

  // Throws Error with file and line.
  static SearchSpace parse(const std::string& text, const std::string& name);
  // Ranges of options that are whole numbers become whole. Throws Error for an option that the
  // solver does not have, or an end of a range that it does not allow.
  void fit_to(const std::string& solver, OptionList options);
};

}  // namespace penumbra

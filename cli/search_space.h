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

#include "cli/config.h"
#include "penumbra/base/options.h"
#include "penumbra/base/parameter_search.h"

namespace penumbra::cli {

struct SearchSpace {
  std::vector<Range> ranges;  // in the order of the file
  ConfigTable fixed;

  // Throws Error with file and line.
  static SearchSpace parse(const std::string& text, const std::string& name);
  // Throws Error for an option that is not there, or an end of a range that is not allowed.
  void check(OptionList options) const;
};

}  // namespace penumbra::cli

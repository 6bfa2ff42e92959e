// Durations as people write them: 90, 90s, 10m, 2h.
#pragma once

#include <string>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"

namespace penumbra {

// Seconds; `flag` is named in the error.
inline double parse_duration(const std::string& flag, const std::string& text) {
  std::string number = text;
  double unit = 1;
  if (!text.empty()) {
    const char last = text.back();
    if (last == 's' || last == 'm' || last == 'h') {
      number.pop_back();
      unit = last == 's' ? 1 : last == 'm' ? 60 : 3600;
    }
  }
  double value;
  if (!parse_number(number, value) || value < 0)
    throw Error(flag + " must be a duration such as 90s, 10m or 2h, not '" + text + "'");
  return value * unit;
}

}  // namespace penumbra

// Durations as people write them: 90, 90s, 10m, 2h, 1h30m.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"

namespace penumbra {

// Seconds; `flag` is named in the error.
inline double parse_duration(const std::string& flag, const std::string& text) {
  double seconds = 0, last_unit = HUGE_VAL;
  for (size_t begin = 0; begin == 0 || begin < text.size();) {
    const size_t end = std::min(text.find_first_of("hms", begin), text.size());
    const char letter = end < text.size() ? text[end] : '\0';
    const double unit = letter == 'h' ? 3600 : letter == 'm' ? 60 : 1;
    double value;
    // A number without a unit stands alone: 1h30 could be seconds as well as minutes.
    if (!parse_number(text.substr(begin, end - begin), value) || value < 0 || unit >= last_unit ||
        (letter == '\0' && begin > 0))
      throw Error(flag + " must be a duration such as 90s, 10m, 2h or 1h30m, not '" + text + "'");
    seconds += value * unit;
    last_unit = unit;
    begin = end + 1;
  }
  return seconds;
}

}  // namespace penumbra

// A small curve of a value over time, drawn with characters: bars of blocks, or of signs in plain
// ASCII.
#pragma once

#include <string>
#include <vector>

namespace penumbra::cli {

struct CurvePoint {
  double seconds, value;
};

struct ValueCurve {
  std::vector<std::string> rows;  // from the top; each takes all columns
  double low = 0, high = 0;       // values of the bottom and the top
};

// Time runs from 0 to `until`. A value holds until the next one; a column shows the last value
// within it. Points are in the order of time. No rows: there is nothing to draw.
ValueCurve value_curve(const std::vector<CurvePoint>& points, double until, int columns, int rows,
                       bool unicode);

}  // namespace penumbra::cli

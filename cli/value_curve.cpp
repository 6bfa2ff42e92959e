#include "cli/value_curve.h"

#include <algorithm>
#include <cmath>

namespace penumbra::cli {
namespace {

constexpr const char* kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr const char* kSigns[] = {" ", ".", ":", "#"};

// The value of each column; NaN where none was known yet.
std::vector<double> sampled(const std::vector<CurvePoint>& points, double until, int columns) {
  std::vector<double> values(static_cast<size_t>(columns), NAN);
  size_t next = 0;
  double value = NAN;
  for (int i = 0; i < columns; ++i) {
    const double end = until * (i + 1) / columns;
    const bool last = i + 1 == columns;
    for (; next < points.size() && (last || points[next].seconds <= end); ++next)
      if (std::isfinite(points[next].value)) value = points[next].value;
    values[static_cast<size_t>(i)] = value;
  }
  return values;
}

}  // namespace

ValueCurve value_curve(const std::vector<CurvePoint>& points, double until, int columns, int rows,
                       bool unicode) {
  ValueCurve curve;
  if (columns < 1 || rows < 1) return curve;
  const std::vector<double> values = sampled(points, until, columns);
  if (!std::isfinite(values.back())) return curve;
  curve.low = curve.high = values.back();
  for (const double value : values)
    if (std::isfinite(value)) {
      curve.low = std::min(curve.low, value);
      curve.high = std::max(curve.high, value);
    }
  const int steps = unicode ? 8 : 3;  // of a character
  curve.rows.resize(static_cast<size_t>(rows));
  for (const double value : values) {
    // The lowest value is one step high: nothing at all means that nothing was known.
    const double share = (value - curve.low) / (curve.high - curve.low);
    const double above = std::isfinite(share) ? share * (rows * steps - 1) : 0;
    const int height = std::isfinite(value) ? 1 + static_cast<int>(std::lround(above)) : 0;
    for (int row = 0; row < rows; ++row) {
      const int inside = std::clamp(height - (rows - 1 - row) * steps, 0, steps);
      curve.rows[static_cast<size_t>(row)] += unicode ? kBlocks[inside] : kSigns[inside];
    }
  }
  return curve;
}

}  // namespace penumbra::cli

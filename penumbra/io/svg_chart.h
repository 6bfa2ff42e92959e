// A line chart as an SVG file: series with bands or error bars, reference lines, a legend at the
// side. Its colours read on light and on dark pages, and in viewers without style sheets.
#pragma once

#include <string>
#include <vector>

namespace penumbra {

struct Chart {
  struct Series {
    std::string name;               // empty: faint and not in the legend
    std::vector<double> x, y;       // points that are not finite are left out
    std::vector<double> low, high;  // empty, or one per point
    int colour = -1;                // series of one colour belong together; -1: one of its own
    bool dashed = false;
    bool points = false;  // dots with error bars; otherwise a line with a band
    bool steps = false;   // the value holds until the next point
  };
  struct Reference {
    std::string name;
    double y = 0;
  };

  std::string title, note, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Series> series;
  std::vector<Reference> references;
};

// Without any point it says so in the chart's place.
std::string svg_chart(const Chart& chart);

// About `wanted` round numbers that cover low to high: 1, 2 or 5 times a power of ten.
std::vector<double> round_ticks(double low, double high, int wanted);

}  // namespace penumbra

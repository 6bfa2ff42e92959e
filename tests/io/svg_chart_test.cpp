#include "penumbra/io/svg_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

namespace penumbra {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(SvgChart, TicksAreRoundAndCoverTheRange) {
  EXPECT_THAT(round_ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(round_ticks(-0.3, 1.1, 3), ElementsAre(-0.5, 0, 0.5, 1, 1.5));
}

TEST(SvgChart, DrawsLinesBandsAndReferences) {
  Chart chart;
  chart.title = "a < b & \"c\"";
  chart.series = {{"lower", {1, 2, 3}, {1, 2, std::nan("")}, {0, 1, 0}, {2, 3, 0}}};
  chart.references = {{"theirs", 5}};
  const std::string svg = svg_chart(chart);
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; &quot;c&quot;"));
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.2\""));
  EXPECT_THAT(svg, HasSubstr("theirs: 5"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

// As the web's accessibility guidelines define it; `rgb` is 0xrrggbb.
double luminance(unsigned rgb) {
  auto linear = [](unsigned byte) {
    const double c = byte / 255.0;
    return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(rgb >> 16 & 255) + 0.7152 * linear(rgb >> 8 & 255) +
         0.0722 * linear(rgb & 255);
}

TEST(SvgChart, ItsColoursReadOnWhiteAndOnBlackWithoutAStyleSheet) {
  Chart chart;
  for (int i = 0; i < 8; ++i) chart.series.push_back({"s", {1, 2}, {1, 2}, {}, {}});
  const std::string svg = svg_chart(chart);
  EXPECT_THAT(svg, Not(AnyOf(HasSubstr("style"), HasSubstr("class"), HasSubstr("var("))));
  std::set<unsigned> colours;
  for (size_t at = 0; (at = svg.find("=\"#", at)) != std::string::npos; at += 3)
    colours.insert(static_cast<unsigned>(std::stoul(svg.substr(at + 3, 6), nullptr, 16)));
  EXPECT_EQ(colours.size(), 9);  // of the lines, and the ink
  for (unsigned colour : colours) {
    EXPECT_GE((luminance(0xffffff) + 0.05) / (luminance(colour) + 0.05), 3) << colour;
    EXPECT_GE((luminance(colour) + 0.05) / (luminance(0x111111) + 0.05), 3) << colour;
  }
}

TEST(SvgChart, LogarithmicAxesLeaveOutWhatTheyCannotShow) {
  Chart chart;
  chart.log_x = true;
  chart.series = {{"s", {0, 10, 1000}, {1, 2, 3}, {}, {}}};
  const std::string svg = svg_chart(chart);
  EXPECT_THAT(svg, HasSubstr(">100<"));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(SvgChart, OfNothingSaysSo) {
  EXPECT_THAT(svg_chart({}), HasSubstr("no data yet"));
}

}  // namespace
}  // namespace penumbra

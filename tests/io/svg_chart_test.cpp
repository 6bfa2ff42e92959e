#include "penumbra/io/svg_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace penumbra {
namespace {

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
  EXPECT_THAT(svg, HasSubstr("class=\"band c0\""));
  EXPECT_THAT(svg, HasSubstr("theirs: 5"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
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

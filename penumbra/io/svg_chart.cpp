#include "penumbra/io/svg_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "penumbra/io/text.h"
#include "penumbra/io/xml_text.h"

namespace penumbra {
namespace {

constexpr double kWidth = 760, kHeight = 400;
constexpr double kLeft = 66, kRight = 210, kTop = 46, kBottom = 52;

// Presentation attributes only, as many viewers know nothing of style sheets; and colours between
// light and dark, at least three to one against white and against #111.
constexpr std::array kColours = {"#1f80d8", "#d0650f", "#238f4c", "#a85cc8",
                                 "#9a7a00", "#de4a7c", "#128c9c", "#7f7f8c"};
constexpr const char* kInk = "#777c84";  // of texts and axes
constexpr const char* kTitle = " font-size=\"15\" font-weight=\"600\"";
constexpr const char* kDashes = " stroke-dasharray=\"7 4\"";
constexpr const char* kFaded = " opacity=\"0.6\"";

std::string axis_stroke() {
  return fmt::format("stroke=\"{}\"", kInk);
}
std::string grid_stroke() {
  return axis_stroke() + " stroke-opacity=\"0.3\"";
}
std::string reference_stroke() {
  return axis_stroke() + " stroke-width=\"1.2\" stroke-dasharray=\"2 4\"";
}
std::string line_stroke(int colour, bool dashed, bool faded = false) {
  return fmt::format(
      "fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}{}",
      kColours[colour], faded ? "1.3" : "2", dashed ? kDashes : "", faded ? kFaded : "");
}

std::string tick_text(double value) {
  if (value != 0 && (std::abs(value) >= 1e5 || std::abs(value) < 1e-3))
    return fmt::format("{:.0e}", value);
  return fmt::format("{:.6g}", value);
}

// From values to places along one axis.
class Axis {
 public:
  Axis(bool log, double from, double to) : log_(log), from_(from), to_(to) {}
  bool shows(double value) const { return std::isfinite(value) && (!log_ || value > 0); }
  void include(double value) {
    if (!shows(value)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  bool empty() const { return low_ > high_; }
  // Rounds the range and chooses the ticks.
  void settle() {
    if (log_) return settle_log();
    if (high_ - low_ < 1e-9 * std::max(1.0, std::abs(high_))) {
      low_ -= 0.5;
      high_ += 0.5;
    }
    ticks_ = round_ticks(low_, high_, 6);
    low_ = ticks_.front();
    high_ = ticks_.back();
  }
  double at(double value) const {
    const double share =
        log_ ? (std::log(value) - std::log(low_)) / (std::log(high_) - std::log(low_))
             : (value - low_) / (high_ - low_);
    return from_ + share * (to_ - from_);
  }
  const std::vector<double>& ticks() const { return ticks_; }

 private:
  // The range as it is with a little room; ticks at powers of ten, and between them if these are
  // few.
  void settle_log() {
    const double room = high_ / low_ < 2 ? 2 : std::pow(high_ / low_, 0.04);
    low_ /= room;
    high_ *= room;
    for (bool between : {false, true}) {
      if (ticks_.size() >= 3) return;
      ticks_.clear();
      for (double p = std::floor(std::log10(low_)); p <= std::log10(high_); ++p)
        for (double factor : {1.0, 2.0, 5.0})
          if (const double tick = factor * std::pow(10, p); tick >= low_ && tick <= high_)
            if (factor == 1 || between) ticks_.push_back(tick);
    }
  }

  bool log_;
  double from_, to_, low_ = HUGE_VAL, high_ = -HUGE_VAL;
  std::vector<double> ticks_;
};

class Drawing {
 public:
  explicit Drawing(const Chart& chart)
      : chart_(chart),
        x_(chart.log_x, kLeft, kWidth - kRight),
        y_(chart.log_y, kHeight - kBottom, kTop) {}

  std::string draw() {
    add(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" width="{}" height="{}" )"
        R"(font-family="system-ui, sans-serif" font-size="12" fill="{}" role="img" aria-label="{}">)"
        "\n",
        kWidth, kHeight, kWidth, kHeight, kInk, xml_text(chart_.title));
    text(kLeft, 20, chart_.title, "start", kTitle);
    if (!chart_.note.empty()) text(kLeft, 37, chart_.note);
    for (const Chart::Series& s : chart_.series)
      for (size_t i = 0; i < s.x.size(); ++i) {
        if (!x_.shows(s.x[i]) || !y_.shows(s.y[i])) continue;
        x_.include(s.x[i]);
        y_.include(s.y[i]);
        if (!s.low.empty()) y_.include(s.low[i]);
        if (!s.high.empty()) y_.include(s.high[i]);
      }
    if (x_.empty()) {
      text(kLeft, kHeight / 2, "no data yet");
      return out_ + "</svg>\n";
    }
    for (const Chart::Reference& r : chart_.references) y_.include(r.y);
    x_.settle();
    y_.settle();
    axes();
    double legend = kTop + 6;
    for (const Chart::Reference& r : chart_.references) reference(r, legend);
    int own = 0;
    for (const Chart::Series& s : chart_.series) {
      const int colour = (s.colour >= 0 ? s.colour : own++) % static_cast<int>(kColours.size());
      if (s.points)
        dots(s, colour);
      else
        line(s, colour);
      label(s, colour, legend);
    }
    return out_ + "</svg>\n";
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    append(out_, format, std::forward<Args>(args)...);
  }
  void text(double x, double y, const std::string& words, const char* anchor = "start",
            const char* attributes = "") {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
        attributes, xml_text(words));
  }
  void stroke(double x1, double y1, double x2, double y2, const std::string& attributes) {
    add("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2,
        attributes);
  }

  void axes() {
    const double right = kWidth - kRight, bottom = kHeight - kBottom;
    for (double tick : y_.ticks()) {
      stroke(kLeft, y_.at(tick), right, y_.at(tick), grid_stroke());
      text(kLeft - 8, y_.at(tick) + 4, tick_text(tick), "end");
    }
    for (double tick : x_.ticks()) {
      stroke(x_.at(tick), bottom, x_.at(tick), bottom + 5, axis_stroke());
      text(x_.at(tick), bottom + 19, tick_text(tick), "middle");
    }
    stroke(kLeft, bottom, right, bottom, axis_stroke());
    text((kLeft + right) / 2, kHeight - 12, chart_.x_label, "middle");
    add("<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        (kTop + bottom) / 2, xml_text(chart_.y_label));
  }

  void reference(const Chart::Reference& r, double& legend) {
    const double right = kWidth - kRight;
    stroke(kLeft, y_.at(r.y), right, y_.at(r.y), reference_stroke());
    stroke(right + 14, legend, right + 36, legend, reference_stroke());
    text(right + 42, legend + 4, fmt::format("{}: {:.4g}", r.name, r.y));
    legend += 19;
  }

  void line(const Chart::Series& s, int colour) {
    std::string path, up, down;
    double last = 0;
    int shown = 0;
    for (size_t i = 0; i < s.x.size(); ++i) {
      if (!x_.shows(s.x[i]) || !y_.shows(s.y[i])) continue;
      const double x = x_.at(s.x[i]), y = y_.at(s.y[i]);
      if (s.steps && !path.empty()) path += fmt::format(" L{:.1f} {:.1f}", x, last);
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", x, y);
      last = y;
      ++shown;
      if (s.low.empty() || !y_.shows(s.low[i]) || !y_.shows(s.high[i])) continue;
      up += fmt::format("{}{:.1f} {:.1f}", up.empty() ? "M" : " L", x, y_.at(s.high[i]));
      down = fmt::format(" L{:.1f} {:.1f}", x, y_.at(s.low[i])) + down;
    }
    if (!up.empty())
      add("<path d=\"{}{} Z\" fill=\"{}\" fill-opacity=\"0.2\"/>\n", up, down, kColours[colour]);
    add("<path d=\"{}\" {}/>\n", path, line_stroke(colour, s.dashed, s.name.empty()));
    // A line of one point would not be seen.
    for (size_t i = 0; i < s.x.size() && shown == 1; ++i)
      if (x_.shows(s.x[i]) && y_.shows(s.y[i])) dot(s.x[i], s.y[i], colour);
  }

  void dot(double x, double y, int colour) {
    add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", x_.at(x), y_.at(y),
        kColours[colour]);
  }

  void dots(const Chart::Series& s, int colour) {
    Chart::Series path = s;
    path.low.clear();
    path.high.clear();
    line(path, colour);
    for (size_t i = 0; i < s.x.size(); ++i) {
      if (!x_.shows(s.x[i]) || !y_.shows(s.y[i])) continue;
      const double x = x_.at(s.x[i]);
      if (!s.low.empty() && y_.shows(s.low[i]) && y_.shows(s.high[i]))
        stroke(x, y_.at(s.low[i]), x, y_.at(s.high[i]),
               fmt::format("stroke=\"{}\"", kColours[colour]));
      dot(s.x[i], s.y[i], colour);
    }
  }

  void label(const Chart::Series& s, int colour, double& legend) {
    if (s.name.empty()) return;
    const double right = kWidth - kRight;
    stroke(right + 14, legend, right + 36, legend, line_stroke(colour, s.dashed));
    text(right + 42, legend + 4, s.name);
    legend += 19;
  }

  const Chart& chart_;
  Axis x_, y_;
  std::string out_;
};

}  // namespace

std::vector<double> round_ticks(double low, double high, int wanted) {
  const double rough = (high - low) / std::max(1, wanted);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  std::vector<double> ticks;
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  for (double i = first; i <= last; ++i) ticks.push_back(i * step);
  return ticks;
}

std::string svg_chart(const Chart& chart) {
  return Drawing(chart).draw();
}

}  // namespace penumbra

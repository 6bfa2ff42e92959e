#include "cli/progress_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/progress_line.h"
#include "cli/value_curve.h"

namespace penumbra::cli {
namespace {

constexpr int kLongestBar = 40, kShortestBar = 5;
constexpr int kCurveRows = 4;
constexpr int kRoomyColumns = 48, kRoomyRows = 14;  // from here on the curve has more than one row

std::string value_text(double value) {
  return std::abs(value) < 1e6 ? fmt::format("{:.3f}", value) : fmt::format("{:.5g}", value);
}

Colour colour_of(RunPhase phase) {
  if (phase == RunPhase::kEnded) return Colour::kGood;
  return phase == RunPhase::kLost ? Colour::kBad : Colour::kAccent;
}

// How far a run is towards the limit that it is nearest to.
struct Share {
  double done = -1;  // negative: there is no limit that can be measured
  std::string words;
};

Share share_of(const RunState& state, double seconds) {
  const Limits& limits = state.limits;
  Share nearest{-1, duration_text(seconds)};
  const auto consider = [&](double done, double limit, const std::string& words) {
    if (limit > 0 && done / limit > nearest.done) nearest = {std::min(1.0, done / limit), words};
  };
  consider(seconds, limits.seconds,
           fmt::format("{} of {}", duration_text(seconds), duration_text(limits.seconds)));
  if (state.lines().empty()) return nearest;
  const SolveProgress& last = state.lines().back();
  consider(static_cast<double>(last.backups), static_cast<double>(limits.backups),
           fmt::format("{} of {} backups", last.backups, limits.backups));
  consider(last.nodes, limits.nodes, fmt::format("{} of {} nodes", last.nodes, limits.nodes));
  consider(last.memory, limits.memory,
           fmt::format("{:.0f} of {:.0f} MB", last.memory / 1e6, limits.memory / 1e6));
  return nearest;
}

std::string bar_text(double share, int columns, bool unicode) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string out;
  if (!unicode) {
    const int inside = columns - 2, full = static_cast<int>(share * inside);
    return "[" + std::string(static_cast<size_t>(full), '#') +
           std::string(static_cast<size_t>(inside - full), '-') + "]";
  }
  const int eighths = static_cast<int>(share * columns * 8);
  for (int i = 0; i < columns; ++i) {
    const int rest = std::clamp(eighths - 8 * i, 0, 8);
    out += rest == 8 ? "█" : rest > 0 ? kEighths[rest] : "░";
  }
  return out;
}

}  // namespace

std::string duration_text(double s) {
  if (s < 10) return fmt::format("{:.1f} s", s);
  if (s < 120) return fmt::format("{:.0f} s", s);
  return s < 7200 ? fmt::format("{:.1f} min", s / 60) : fmt::format("{:.1f} h", s / 3600);
}

ProgressBlock::ProgressBlock(const BlockStyle& style)
    : style_(style), columns_(std::max(1, style.columns - 1)) {}

std::vector<std::string> ProgressBlock::lines(const RunState& state, double seconds,
                                              const std::string& note) const {
  std::vector<StyledLine> all{head(state)};
  if (state.phase != RunPhase::kWaiting) all.push_back(bar(state, seconds));
  if (state.accepted() || state.score) all.push_back(value(state));
  for (StyledLine& line : curve(state, seconds)) all.push_back(std::move(line));
  if (state.accepted()) all.push_back(accepted(state));
  if (!state.lines().empty()) all.push_back(work(state));
  if (!note.empty()) all.push_back(StyledLine().add(note, Colour::kWarning));
  const size_t most = static_cast<size_t>(std::max(1, style_.rows - 1));
  if (all.size() > most) all.resize(most);
  std::vector<std::string> out;
  for (StyledLine& line : all) {
    line.clip(columns_);
    out.push_back(line.text(style_.colours));
  }
  return out;
}

StyledLine ProgressBlock::head(const RunState& state) const {
  std::string phase = name_of(state.phase);
  if (!state.status.empty()) phase += " by " + shown_text(state.status, style_.unicode);
  const std::string name = shown_text(state.domain, style_.unicode);
  const std::string solver = shown_text(state.solver, style_.unicode);
  const int right = columns_ - display_width(phase);
  const Colour colour = colour_of(state.phase);
  StyledLine whole = StyledLine().add(name, Colour::kBold).add("  " + solver, Colour::kDim);
  StyledLine domain = StyledLine().add(name, Colour::kBold);
  StyledLine line = widest_that_fits({std::move(whole), std::move(domain)}, std::max(0, right - 2));
  return line.fill_to(right).add(phase, colour);
}

StyledLine ProgressBlock::bar(const RunState& state, double seconds) const {
  const Share share = share_of(state, seconds);
  const bool over = state.phase == RunPhase::kEnded || state.phase == RunPhase::kLost;
  const std::string open_end = state.limits.gap > 0
                                   ? fmt::format(", until the gap is {:g}", state.limits.gap)
                                   : ", no limit";
  if (share.done < 0 || over)
    return StyledLine().add(over ? "after " + duration_text(seconds) : share.words + open_end);
  const std::string percent = fmt::format(" {:3.0f} %", 100 * share.done);
  std::vector<StyledLine> forms;
  for (const std::string& words : {percent + "  " + share.words, percent, std::string()}) {
    const int room = columns_ - display_width(words);
    if (room < kShortestBar) continue;
    const std::string drawn = bar_text(share.done, std::min(room, kLongestBar), style_.unicode);
    forms.push_back(StyledLine().add(drawn, Colour::kGood).add(words));
  }
  forms.push_back(StyledLine().add(share.words));
  return widest_that_fits(std::move(forms), columns_);
}

std::string ProgressBlock::interval(const Estimate& value) const {
  const double half = (value.high - value.low) / 2;
  const std::string mean = value_text(value.mean);
  if (!(half >= 0) || value.count < 2) return mean;
  return fmt::format("{} {} {}", mean, style_.unicode ? "±" : "+-", value_text(half));
}

StyledLine ProgressBlock::value(const RunState& state) const {
  const auto line = [](const std::string& words, const std::string& rest) {
    return StyledLine().add(words, Colour::kBold).add(rest);
  };
  if (state.score) {
    const std::string text = interval(*state.score);
    return widest_that_fits(
        {line("score " + text, fmt::format("  (95 %, {} episodes), standard error {:.4f}",
                                           state.score->count, state.score->standard_error)),
         line("score " + text, fmt::format("  ({} episodes)", state.score->count)),
         line("score " + text, ""), line(text, "")},
        columns_);
  }
  const SolveProgress& kept = state.accepted()->line;
  const UpperValue& upper = state.lines().back().upper;
  if (kept.lower_proven) {
    const std::string text =
        fmt::format("{} to {}", value_text(kept.lower), value_text(upper.value));
    return widest_that_fits(
        {line("value " + text,
              fmt::format("  both proven, gap {}", value_text(upper.value - kept.lower))),
         line("value " + text, "  proven"), line("value " + text, ""), line(text, "")},
        columns_);
  }
  const std::string text = interval(kept.simulated);
  const std::string above =
      std::isfinite(upper.value)
          ? fmt::format("  {} {}", upper_words(upper.kind), value_text(upper.value))
          : "";
  return widest_that_fits(
      {line("value " + text, fmt::format("  (95 %, {} episodes)  claimed {}{}",
                                         kept.simulated.count, value_text(kept.estimate), above)),
       line("value " + text, fmt::format("  (95 %, {} episodes){}", kept.simulated.count, above)),
       line("value " + text, fmt::format("  ({} episodes)", kept.simulated.count)),
       line("value " + text, ""), line(text, "")},
      columns_);
}

std::vector<StyledLine> ProgressBlock::curve(const RunState& state, double seconds) const {
  std::vector<CurvePoint> points;
  double best = -HUGE_VAL;  // what is kept never gets worse
  for (const SolveProgress& line : state.lines())
    if (has_value(line)) points.push_back({line.seconds, best = std::max(best, value_of(line))});
  if (points.size() < 2) return {};
  const double until = std::max(seconds, points.back().seconds);
  const bool roomy = columns_ >= kRoomyColumns && style_.rows >= kRoomyRows;
  const std::string low = value_text(points.front().value), high = value_text(best);
  const int labels = static_cast<int>(std::max(low.size(), high.size())) + 1;
  const bool labelled = columns_ - labels >= 2 * labels;
  const int left = labelled ? labels : 0;
  const ValueCurve drawn =
      value_curve(points, until, columns_ - left, roomy ? kCurveRows : 1, style_.unicode);
  std::vector<StyledLine> out;
  for (size_t row = 0; row < drawn.rows.size(); ++row) {
    StyledLine line;
    if (labelled && row == 0) line.add(fmt::format("{:>{}}", high, labels - 1), Colour::kDim);
    if (labelled && row > 0 && row + 1 == drawn.rows.size())
      line.add(fmt::format("{:>{}}", low, labels - 1), Colour::kDim);
    out.push_back(line.fill_to(left).add(drawn.rows[row], Colour::kAccent));
  }
  if (roomy) {
    const std::string end = duration_text(until);
    out.push_back(StyledLine()
                      .fill_to(left)
                      .add("0 s", Colour::kDim)
                      .fill_to(columns_ - static_cast<int>(end.size()))
                      .add(end, Colour::kDim));
  }
  return out;
}

StyledLine ProgressBlock::accepted(const RunState& state) const {
  const Accepted& a = *state.accepted();
  const std::string gain = a.first ? "" : fmt::format(" (+{})", value_text(a.gain));
  const std::string what = value_text(value_of(a.line)) + gain, at = duration_text(a.line.seconds);
  const std::string size =
      fmt::format(", {} {}", a.line.nodes, a.line.lower_proven ? "vectors" : "nodes");
  const std::string since = a.tries_since == 0
                                ? ""
                                : fmt::format("; {} report{} since not better", a.tries_since,
                                              a.tries_since == 1 ? "" : "s");
  std::vector<StyledLine> forms;
  for (const std::string& rest : {" at " + at + size + since, " at " + at + size, " at " + at})
    forms.push_back(StyledLine().add("accepted ").add(what + rest));
  forms.push_back(StyledLine().add(what + " at " + at));
  forms.push_back(StyledLine().add(what));
  return widest_that_fits(std::move(forms), columns_);
}

StyledLine ProgressBlock::work(const RunState& state) const {
  const SolveProgress& p = state.lines().back();
  const std::string backups = fmt::format("{} backups", p.backups);
  const std::string size = fmt::format(", {} {}", p.nodes, p.lower_proven ? "vectors" : "nodes");
  const std::string memory = fmt::format(", {:.0f} MB", p.memory / 1e6);
  const std::string speed =
      p.simulator_steps > 0
          ? fmt::format(", {:.1f} M steps/s", p.simulator_steps / 1e6 / std::max(p.seconds, 1e-9))
          : "";
  std::vector<StyledLine> forms;
  for (const std::string& text :
       {backups + size + speed + memory + ", as of " + duration_text(p.seconds),
        backups + size + speed + memory, backups + size + memory, backups + size, backups})
    forms.push_back(StyledLine().add(text, Colour::kDim));
  return widest_that_fits(std::move(forms), columns_);
}

}  // namespace penumbra::cli

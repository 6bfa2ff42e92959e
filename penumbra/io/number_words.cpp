#include "penumbra/io/number_words.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

}  // namespace

bool NumberWords::at_end() {
  while (next_ < text_.size() && is_space(text_[next_])) ++next_;
  return next_ >= text_.size();
}

std::string_view NumberWords::word() {
  if (at_end()) {
    last_ = text_.size();
    return {};
  }
  last_ = next_;
  while (next_ < text_.size() && !is_space(text_[next_])) ++next_;
  return text_.substr(last_, next_ - last_);
}

bool NumberWords::skip(std::string_view expected) {
  const size_t before = next_;
  if (word() == expected) return true;
  next_ = before;
  return false;
}

double NumberWords::number() {
  const std::string_view w = word();
  if (w.empty()) fail("a number is missing: the text ends here");
  double value = 0;
  const char* begin = w.data() + (w.size() > 1 && w[0] == '+');
  const auto [end, error] = std::from_chars(begin, w.data() + w.size(), value);
  if (error != std::errc() || end != w.data() + w.size() || !std::isfinite(value))
    fail(fmt::format("{} is no number", quoted(w)));
  return value;
}

int NumberWords::whole(int low, int high, const char* what) {
  const std::string_view w = word();
  if (w.empty()) fail(fmt::format("{} is missing: the text ends here", what));
  int value = 0;
  const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value);
  if (error != std::errc() || end != w.data() + w.size())
    fail(fmt::format("{} must be a whole number, not {}", what, quoted(w)));
  if (value < low || value > high)
    fail(fmt::format("{} must be from {} to {}, not {}", what, low, high, value));
  return value;
}

}  // namespace penumbra

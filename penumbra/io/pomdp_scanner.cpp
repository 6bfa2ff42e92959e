#include "penumbra/io/pomdp_scanner.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace penumbra {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool in_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '-';
}

}  // namespace

size_t PomdpScanner::skip_blanks(size_t at) const {
  while (at < text_.size()) {
    if (is_space(text_[at])) {
      ++at;
    } else if (text_[at] == '#') {
      at = std::min(text_.find('\n', at), text_.size());
    } else {
      break;
    }
  }
  return at;
}

bool PomdpScanner::before_colon() const {
  const size_t at = skip_blanks(next_);
  return at < text_.size() && text_[at] == ':';
}

void PomdpScanner::advance() {
  next_ = skip_blanks(next_);
  const size_t begin = next_;
  token_ = {Kind::kEnd, text_.substr(begin, 0), begin};
  if (begin == text_.size()) return;
  const char c = text_[begin];
  const bool point = c == '.' && begin + 1 < text_.size() && is_digit(text_[begin + 1]);
  if (is_digit(c) || point) return scan_number(begin);
  size_t end = begin + 1;
  if (is_letter(c)) {
    while (end < text_.size() && in_word(text_[end])) ++end;
    token_.kind = Kind::kWord;
  } else if (c == ':') {
    token_.kind = Kind::kColon;
  } else if (c == '*') {
    token_.kind = Kind::kStar;
  } else if (c == '+') {
    token_.kind = Kind::kPlus;
  } else if (c == '-') {
    token_.kind = Kind::kMinus;
  } else {
    fail(static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126
             ? fmt::format("a byte {:#04x} has no place here", static_cast<unsigned char>(c))
             : fmt::format("the character '{}' has no place here", c));
  }
  token_.text = text_.substr(begin, end - begin);
  next_ = end;
}

void PomdpScanner::scan_number(size_t begin) {
  const char* const first = text_.data() + begin;
  const char* const last = text_.data() + text_.size();
  const char* at = first;
  while (at < last && is_digit(*at)) ++at;
  bool whole = true;
  if (at < last && *at == '.') {
    whole = false;
    for (++at; at < last && is_digit(*at);) ++at;
  }
  if (at < last && (*at == 'e' || *at == 'E')) {
    const char* digits = at + 1;
    if (digits < last && (*digits == '+' || *digits == '-')) ++digits;
    if (digits < last && is_digit(*digits)) {
      whole = false;
      for (at = digits; at < last && is_digit(*at);) ++at;
    }
  }
  token_.kind = Kind::kNumber;
  token_.text = {first, static_cast<size_t>(at - first)};
  token_.is_whole = whole;
  next_ = begin + token_.text.size();
  if (at < last && (in_word(*at) || *at == '.') && *at != '-')
    fail("a number must end before a letter or a second point");
  const auto [end, error] = std::from_chars(first, at, token_.value);
  if (error == std::errc::result_out_of_range) {
    const bool tiny = token_.text.find("e-") != std::string_view::npos ||
                      token_.text.find("E-") != std::string_view::npos || text_[begin] == '0';
    if (!tiny) fail("this number is too large");
    token_.value = 0;
  }
  if (*first == '.' && !warned_about_point_) {
    warned_about_point_ = true;
    warnings_.add(begin, "numbers without a digit before their point are read as if they had a 0");
  }
}

std::string PomdpScanner::describe() const {
  return is(Kind::kEnd) ? "the end of the file" : quoted(token_.text);
}

}  // namespace penumbra

#include "penumbra/base/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

std::string trim(const std::string& s) {
  const size_t begin = s.find_first_not_of(" \t\n");
  if (begin == std::string::npos) return "";
  return s.substr(begin, s.find_last_not_of(" \t\n") - begin + 1);
}

[[noreturn]] void bad_spec(const std::string& text, size_t at, const std::string& what) {
  throw Error(fmt::format("{}\n  {}\n  {:>{}}", what, text, "^", at + 1));
}

bool is_name(const std::string& s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.';
  });
}

std::string join(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

}  // namespace

Spec Spec::parse(const std::string& text) {
  Spec spec;
  const size_t open = text.find('(');
  spec.name = trim(text.substr(0, open));
  if (!is_name(spec.name)) bad_spec(text, 0, "a name is expected, such as rock-sample(n=7,k=8)");
  if (open == std::string::npos) return spec;
  const size_t close = text.find_last_not_of(" \t\n");
  if (text[close] != ')' || close == open) bad_spec(text, close, "a closing ')' is missing");
  int depth = 0;
  size_t begin = open + 1;
  for (size_t i = begin; i <= close; ++i) {
    const char c = text[i];
    if (c == '[' || c == '(') ++depth;
    if ((c == ']' || c == ')') && i < close && --depth < 0) bad_spec(text, i, "unmatched bracket");
    if (!(i == close || (c == ',' && depth == 0))) continue;
    if (i == close && depth != 0) bad_spec(text, i, "a bracket is not closed");
    const std::string part = text.substr(begin, i - begin);
    if (trim(part).empty()) {
      if (i == close && spec.values.empty()) return spec;
      bad_spec(text, begin, "an empty parameter");
    }
    const size_t equals = part.find('=');
    if (equals == std::string::npos || !is_name(trim(part.substr(0, equals))))
      bad_spec(text, begin, "parameters are written name=value");
    const std::string key = trim(part.substr(0, equals));
    for (const auto& [other, value] : spec.values)
      if (other == key) bad_spec(text, begin, "'" + key + "' is given twice");
    spec.values.emplace_back(key, trim(part.substr(equals + 1)));
    begin = i + 1;
  }
  return spec;
}

std::string Spec::text() const {
  if (values.empty()) return name;
  std::vector<std::string> parts;
  for (const auto& [key, value] : values) parts.push_back(key + "=" + value);
  return name + "(" + join(parts, ",") + ")";
}

std::string Spec::take(const std::string& key) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].first != key) continue;
    std::string value = values[i].second;
    values.erase(values.begin() + static_cast<long>(i));
    return value;
  }
  return "";
}

namespace {
// The whole text as a number; one plus sign is allowed, which from_chars does not know.
template <class T>
bool parse_whole(const std::string& text, T& out) {
  const char* end = text.data() + text.size();
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  auto [at, error] = std::from_chars(text.data() + plus, end, out);
  return error == std::errc() && at == end;
}
}  // namespace

bool parse_number(const std::string& text, double& out) {
  return parse_whole(text, out) && std::isfinite(out);
}

bool parse_number(const std::string& text, int64_t& out) {
  return parse_whole(text, out);
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    std::vector<size_t> row(candidate.size() + 1);  // Levenshtein distance
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= name.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= candidate.size(); ++j) {
        const size_t replace = diagonal + (name[i - 1] != candidate[j - 1]);
        diagonal = row[j];
        row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr size_t kMostNames = 20'000, kLongest = 60;
  if (candidates.size() > kMostNames || name.size() > kLongest) return "";
  std::vector<std::string> short_names;
  for (const std::string& n : candidates)
    if (n.size() <= kLongest) short_names.push_back(n);
  const std::string near = nearest_name(std::string(name), short_names);
  return near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near);
}

const std::string* Params::find(const std::string& name, std::string fallback, std::string allowed,
                                const std::string& help) {
  declarations_.push_back({name, std::move(fallback), std::move(allowed), help});
  for (size_t i = 0; i < spec_.values.size(); ++i) {
    if (spec_.values[i].first != name) continue;
    used_[i] = true;
    return &spec_.values[i].second;
  }
  return nullptr;
}

void Params::bad(const std::string& name, const std::string& value,
                 const std::string& allowed) const {
  throw Error(fmt::format("{}: {}={} is not allowed; {} must be {}", spec_.name, name, value, name,
                          allowed));
}

int Params::integer(const std::string& name, int fallback, int low, int high,
                    const std::string& help) {
  const std::string allowed = fmt::format("an integer from {} to {}", low, high);
  const std::string* text = find(name, std::to_string(fallback), allowed, help);
  if (!text) return fallback;
  int64_t value;
  if (!parse_number(*text, value) || value < low || value > high) bad(name, *text, allowed);
  return static_cast<int>(value);
}

uint64_t Params::seed(const std::string& name, uint64_t fallback, const std::string& help) {
  const std::string allowed = "a whole number of 0 or more";
  const std::string* text = find(name, std::to_string(fallback), allowed, help);
  if (!text) return fallback;
  int64_t value;
  if (!parse_number(*text, value) || value < 0) bad(name, *text, allowed);
  return static_cast<uint64_t>(value);
}

double Params::real(const std::string& name, double fallback, double low, double high,
                    const std::string& help) {
  const std::string allowed = fmt::format("a number from {:g} to {:g}", low, high);
  const std::string* text = find(name, fmt::format("{:g}", fallback), allowed, help);
  if (!text) return fallback;
  double value;
  if (!parse_number(*text, value) || value < low || value > high) bad(name, *text, allowed);
  return value;
}

bool Params::flag(const std::string& name, bool fallback, const std::string& help) {
  const std::string* text = find(name, fallback ? "true" : "false", "true or false", help);
  if (!text) return fallback;
  if (*text == "true" || *text == "1") return true;
  if (*text == "false" || *text == "0") return false;
  bad(name, *text, "true or false");
}

std::string Params::word(const std::string& name, const std::vector<std::string>& choices,
                         const std::string& help) {
  const std::string allowed = "one of " + join(choices, ", ");
  const std::string* text = find(name, choices.front(), allowed, help);
  if (!text) return choices.front();
  if (std::find(choices.begin(), choices.end(), *text) == choices.end()) bad(name, *text, allowed);
  return *text;
}

std::string Params::text(const std::string& name, const std::string& fallback,
                         const std::string& help) {
  const std::string* text = find(name, fallback, "text", help);
  return text ? *text : fallback;
}

std::vector<double> Params::reals(const std::string& name, const std::string& help) {
  const std::string allowed = "a list of numbers such as [1,0.5]";
  const std::string* text = find(name, "[]", allowed, help);
  std::vector<double> values;
  if (!text) return values;
  if (text->size() < 2 || text->front() != '[' || text->back() != ']') bad(name, *text, allowed);
  std::string rest = text->substr(1, text->size() - 2);
  while (!trim(rest).empty()) {
    const size_t comma = rest.find(',');
    double value;
    if (!parse_number(trim(rest.substr(0, comma)), value)) bad(name, *text, allowed);
    values.push_back(value);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return values;
}

std::vector<std::pair<int, int>> Params::cells(const std::string& name, const std::string& help) {
  const std::string allowed = "a list of cells such as [(1,2),(3,4)]";
  const std::string* text = find(name, "[]", allowed, help);
  std::vector<std::pair<int, int>> cells;
  if (!text) return cells;
  std::string plain;
  for (char c : *text)
    if (c != ' ') plain += c;
  if (plain.size() < 2 || plain.front() != '[' || plain.back() != ']') bad(name, *text, allowed);
  const char* at = plain.data() + 1;
  const char* end = plain.data() + plain.size() - 1;
  auto expect = [&](char c) {
    if (at == end || *at++ != c) bad(name, *text, allowed);
  };
  auto number = [&] {
    int value = 0;
    auto [after, error] = std::from_chars(at, end, value);
    if (error != std::errc()) bad(name, *text, allowed);  // out of range included
    at = after;
    return value;
  };
  while (at != end) {
    if (!cells.empty()) expect(',');
    expect('(');
    const int x = number();
    expect(',');
    const int y = number();
    expect(')');
    cells.emplace_back(x, y);
  }
  return cells;
}

bool Params::given(const std::string& name) const {
  return std::any_of(spec_.values.begin(), spec_.values.end(),
                     [&](const auto& value) { return value.first == name; });
}

void Params::finish() const {
  std::vector<std::string> known;
  for (const Declaration& d : declarations_) known.push_back(d.name);
  for (size_t i = 0; i < used_.size(); ++i) {
    if (used_[i]) continue;
    const std::string& name = spec_.values[i].first;
    throw Error(fmt::format("{} has no parameter '{}'{}; it has {}", spec_.name, name,
                            did_you_mean(name, known), known.empty() ? "none" : join(known, ", ")));
  }
}

std::string Params::canonical() const {
  Spec sorted{spec_.name, {}};
  for (const Declaration& d : declarations_)
    for (const auto& value : spec_.values)
      if (value.first == d.name) sorted.values.push_back(value);
  return sorted.text();
}

}  // namespace penumbra

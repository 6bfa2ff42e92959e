#include "penumbra/model/action_stock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

RecordBuffer records_of(std::span<const float> rows, size_t width) {
  RecordBuffer out(width * sizeof(float));
  out.append({reinterpret_cast<const std::byte*>(rows.data()), width * sizeof(float),
              rows.size() / width});
  return out;
}

std::vector<std::string> names_of(std::span<const float> rows, size_t width) {
  std::vector<std::string> names;
  for (size_t at = 0; at < rows.size(); at += width)
    names.push_back(action_text(rows.subspan(at, width)));
  return names;
}

size_t box_width(const Facts& facts) {
  if (facts.action_low.empty())
    throw Error(facts.name + ": a continuous action needs action_low and action_high");
  return facts.action_low.size();
}

}  // namespace

ActionStock::ActionStock(const Pomdp& inner_model, std::span<const float> first)
    : ActionTable(inner_model, records_of(first, box_width(inner_model.facts())),
                  static_cast<int>(first.size() / box_width(inner_model.facts())),
                  names_of(first, box_width(inner_model.facts()))) {}

ActionStock::ActionStock(const ActionStock& other)
    : ActionTable(other.inner(), other.actions_, other.num_first(), other.facts().action_names) {}

int ActionStock::append(std::span<const float> action) {
  PENUMBRA_CHECK(action.size() == size_t(width()), "an action of the wrong width");
  actions_.push_back(reinterpret_cast<const std::byte*>(action.data()));
  return count() - 1;
}

int ActionStock::add(std::span<const float> action) {
  for (int i = 0; i < count(); ++i)
    if (std::equal(action.begin(), action.end(), row(i).begin())) return i;
  return append(action);
}

std::vector<int> ActionStock::keep(const std::vector<char>& used) {
  std::vector<int> number(count(), -1);
  RecordBuffer kept(actions_.record_size());
  for (int i = 0; i < count(); ++i) {
    if (i >= num_first() && !used[i]) continue;
    number[i] = static_cast<int>(kept.count());
    kept.push_back(actions_.at(i));
  }
  actions_ = std::move(kept);
  return number;
}

void ActionStock::restore(std::span<const float> later) {
  if (later.size() % width() != 0) throw Error("saved state: an action has the wrong width");
  actions_.resize(num_first());
  for (size_t at = 0; at < later.size(); at += width()) append(later.subspan(at, width()));
}

std::vector<float> first_actions(const Facts& facts, int count) {
  if (!facts.action_hints.empty()) return facts.action_hints;
  const size_t width = box_width(facts);
  std::vector<float> rows;
  auto add = [&](auto part) {  // of the way from low to high, per coordinate
    for (size_t k = 0; k < width; ++k) {
      const float low = facts.action_low[k], high = facts.action_high[k];
      rows.push_back(std::clamp(low + static_cast<float>(part(k)) * (high - low), low, high));
    }
  };
  add([](size_t) { return 0.5; });
  const size_t corners = width < 16 ? size_t{1} << width : SIZE_MAX;
  for (size_t c = 0; 2 * corners <= static_cast<size_t>(count) && c < corners; ++c)
    add([&](size_t k) { return c >> k & 1 ? 1.0 : 0.0; });
  // Multiples of powers of the root of x^(width + 1) = x + 1 (Roberts).
  double root = 2;
  for (int i = 0; i < 64; ++i) root = std::pow(1 + root, 1.0 / (static_cast<double>(width) + 1));
  for (int i = 1; rows.size() < width * count; ++i)
    add([&](size_t k) {
      const double x = 0.5 + i * std::pow(root, -static_cast<double>(k + 1));
      return x - std::floor(x);
    });
  return rows;
}

void draw_in_box(const Facts& facts, Rng& rng, std::span<float> out) {
  for (size_t k = 0; k < out.size(); ++k) {
    const float low = facts.action_low[k], high = facts.action_high[k];
    out[k] = std::min(high, low + (high - low) * rng.uniform_float());
  }
}

void draw_near(const Facts& facts, std::span<const float> centre, double deviation, Rng& rng,
               std::span<float> out) {
  for (size_t k = 0; k < out.size(); ++k) {
    const float low = facts.action_low[k], high = facts.action_high[k];
    const auto x = static_cast<float>(rng.normal(centre[k], deviation * (high - low)));
    out[k] = std::clamp(x, low, high);
  }
}

std::string action_text(std::span<const float> action) {
  return fmt::format("{:.4g}", fmt::join(action, " "));
}

}  // namespace penumbra

#include "penumbra/solvers/habits/memory_form.h"

namespace penumbra::habits {
namespace {

constexpr size_t kMostParts = 4;

}  // namespace

std::vector<MemoryForm> usual_forms(const std::vector<CertainFeature>& certain) {
  std::vector<MemoryForm> forms(2);
  forms[1].previous = true;
  if (certain.empty()) return forms;
  // Where it is, by the feature with the most values; then what else is certain, in short, in full.
  MemoryForm place, in_short, in_full;
  place.parts = {{certain[0], true}};
  for (size_t i = 0; i < certain.size() && i < kMostParts && (i == 0 || !certain[i].bit); ++i) {
    in_short.parts.push_back({certain[i], i == 0});
    in_full.parts.push_back({certain[i], true});
  }
  forms.push_back(place);
  if (in_full.parts.size() > 1) {
    forms.push_back(in_short);
    forms.push_back(in_full);
  }
  MemoryForm longer = in_short;
  longer.previous = true;
  forms.push_back(longer);
  return forms;
}

Situation situation_of(const MemoryForm& form, std::span<const int32_t> category,
                       std::span<const uint32_t> bits, int action, int seen, int previous) {
  RngKey habit, place;
  for (const MemoryForm::Part& part : form.parts) {
    const int value = part.feature.value(category, bits);
    habit = habit.fold(part.whole ? value : value == part.feature.usual);
    place = place.fold(value);
  }
  auto with_memory = [&](RngKey key) {
    key = key.fold(action + 1).fold(seen + 1);
    return (form.previous ? key.fold(previous + 1) : key).value;
  };
  return {with_memory(habit), with_memory(place), place.value, action, seen};
}

}  // namespace penumbra::habits

#include "penumbra/io/pomdpx_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"

namespace penumbra {
namespace {

constexpr size_t kMaxVariables = 1000, kLongestName = 4096;

}  // namespace

std::string_view next_word(std::string_view& rest) {
  auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  size_t begin = 0;
  while (begin < rest.size() && is_space(rest[begin])) ++begin;
  size_t end = begin;
  while (end < rest.size() && !is_space(rest[end])) ++end;
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

void PomdpxVariables::read_values(Variable& v) {
  const size_t at = xml_.at();
  while (xml_.next_child()) {
    if (v.size > 0) xml_.fail(fmt::format("the values of {} are given twice", quoted(v.name)));
    if (xml_.name() == "NumValues") {
      std::string_view rest = xml_.content();
      const std::string_view word = next_word(rest);
      int64_t count = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
      if (error != std::errc() || end != word.data() + word.size() || count < 1)
        xml_.fail(xml_.place(word), fmt::format("{} is not a number of values", quoted(word)));
      if (static_cast<double>(count) * 16 > options_.memory_limit || count > 1'000'000'000)
        xml_.fail(xml_.place(word),
                  fmt::format("{} values of {} do not fit into the {:.1f} GB that are allowed",
                              count, quoted(v.name), options_.memory_limit / 1e9));
      v.size = static_cast<int>(count);
    } else if (xml_.name() == "ValueEnum") {
      std::string_view rest = xml_.content();
      for (std::string_view word; !(word = next_word(rest)).empty();) {
        if (word.size() > kLongestName)
          xml_.fail(xml_.place(word), fmt::format("a name of {} characters", word.size()));
        v.values.emplace_back(word);
      }
      v.size = static_cast<int>(v.values.size());
      if (v.size == 0) xml_.fail("no values are listed");
    } else {
      xml_.fail(fmt::format("<{}> has no place here; <NumValues> and <ValueEnum> have",
                            quoted(xml_.name())));
    }
  }
  if (v.size == 0)
    xml_.fail(at, fmt::format("{} needs <NumValues> or <ValueEnum>", quoted(v.name)));
}

void PomdpxVariables::read_state() {
  Variable v;
  v.name = xml_.required_attribute("vnamePrev");
  const std::string after = xml_.required_attribute("vnameCurr");
  if (const std::string* seen = xml_.attribute("fullyObs")) {
    if (*seen != "true" && *seen != "false" && *seen != "1" && *seen != "0")
      xml_.fail(fmt::format("fullyObs is true or false, not {}", quoted(*seen)));
    v.visible = *seen == "true" || *seen == "1";
  }
  read_values(v);
  states_.emplace_back(std::move(v), after);
}

void PomdpxVariables::read() {
  const size_t at = xml_.at();
  while (xml_.next_child()) {
    const std::string_view kind = xml_.name();
    if (states_.size() + model_.actions.size() + model_.observations.size() + rewards_.size() >=
        kMaxVariables)
      xml_.fail(fmt::format("more than {} variables", kMaxVariables));
    if (kind == "StateVar") {
      read_state();
    } else if (kind == "ActionVar" || kind == "ObsVar") {
      auto& list = kind == "ActionVar" ? model_.actions : model_.observations;
      Variable v;
      v.name = xml_.required_attribute("vname");
      read_values(v);
      list.push_back(std::move(v));
    } else if (kind == "RewardVar") {
      rewards_.push_back(xml_.required_attribute("vname"));
      xml_.skip();
    } else {
      xml_.fail(fmt::format("<{}> is no kind of variable{}", quoted(kind),
                            did_you_mean(kind, {"StateVar", "ActionVar", "ObsVar", "RewardVar"})));
    }
  }
  if (states_.empty()) xml_.fail(at, "there is no <StateVar>");
  if (model_.actions.empty()) xml_.fail(at, "there is no <ActionVar>");
  // Visible variables first; see Tabular::variables.
  std::stable_sort(states_.begin(), states_.end(),
                   [](const auto& a, const auto& b) { return a.first.visible > b.first.visible; });
  for (const auto& state : states_) model_.states.push_back(state.first);
  try {
    check_size(model_, options_);
  } catch (const Error& e) {
    xml_.fail(at, std::string(e.what()).substr(model_.name.size() + 2));
  }
  number_slots();
}

void PomdpxVariables::number_slots() {
  for (const Variable& v : model_.actions) slot_names_.push_back(v.name);
  for (const auto& state : states_) slot_names_.push_back(state.first.name);
  for (const auto& state : states_) slot_names_.push_back(state.second);
  for (const Variable& v : model_.observations) slot_names_.push_back(v.name);
  for (int s = 0; s < model_.num_slots(); ++s) {
    if (!slots_.emplace(slot_names_[s], s).second)
      xml_.fail(fmt::format("two variables are called {}", quoted(slot_names_[s])));
    values_.emplace_back();
    const Variable& v = variable(s);
    for (int i = 0; i < static_cast<int>(v.values.size()); ++i)
      if (!values_[s].emplace(v.values[i], i).second)
        xml_.fail(fmt::format("{} has the value {} twice", quoted(v.name), quoted(v.values[i])));
  }
}

PomdpxVariables::Role PomdpxVariables::role(int slot) const {
  if (slot < model_.before(0)) return Role::kAction;
  if (slot < model_.after(0)) return Role::kBefore;
  return slot < model_.seen(0) ? Role::kAfter : Role::kSeen;
}

const FactoredModel::Variable& PomdpxVariables::variable(int slot) const {
  switch (role(slot)) {
    case Role::kAction:
      return model_.actions[slot];
    case Role::kBefore:
      return model_.states[slot - model_.before(0)];
    case Role::kAfter:
      return model_.states[slot - model_.after(0)];
    case Role::kSeen:
      break;
  }
  return model_.observations[slot - model_.seen(0)];
}

int PomdpxVariables::slot(std::string_view name, size_t at) const {
  const auto found = slots_.find(std::string(name));
  if (found == slots_.end())
    xml_.fail(at, fmt::format("there is no variable {}{}", quoted(name),
                              did_you_mean(name, slot_names_)));
  return found->second;
}

int PomdpxVariables::value(int slot, std::string_view name, size_t at) const {
  const Variable& v = variable(slot);
  if (const auto found = values_[slot].find(name); found != values_[slot].end())
    return found->second;
  // Values without names are s0, s1, ...; an index is understood anyway.
  const Role r = role(slot);
  const char prefix = r == Role::kAction ? 'a' : r == Role::kSeen ? 'o' : 's';
  std::string_view number = name;
  if (v.values.empty() && !name.empty() && name[0] == prefix) number.remove_prefix(1);
  int index = -1;
  const char* last = number.data() + number.size();
  const auto [end, error] = std::from_chars(number.data(), last, index);
  if (error != std::errc() || end != last || index < 0 || index >= v.size)
    xml_.fail(at, fmt::format("{} has no value {}{}", quoted(slot_names_[slot]), quoted(name),
                              v.values.empty()
                                  ? fmt::format("; it has {}0 to {}{}", prefix, prefix, v.size - 1)
                                  : did_you_mean(name, v.values)));
  return index;
}

std::string PomdpxVariables::value_name(int slot, int value) const {
  const Role r = role(slot);
  return variable(slot).value(value, r == Role::kAction ? 'a' : r == Role::kSeen ? 'o' : 's');
}

bool PomdpxVariables::is_reward(std::string_view name) const {
  return std::find(rewards_.begin(), rewards_.end(), name) != rewards_.end();
}

}  // namespace penumbra

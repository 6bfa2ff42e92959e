// The <Variable> part of a POMDPX document, and the names that the rest of it uses.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "penumbra/io/factored_model.h"
#include "penumbra/io/xml_reader.h"

namespace penumbra {

class PomdpxVariables {
 public:
  // Of a slot: which part of the model it belongs to.
  enum class Role { kAction, kBefore, kAfter, kSeen };

  PomdpxVariables(XmlReader& xml, FactoredModel& model, const ReadOptions& options)
      : xml_(xml), model_(model), options_(options) {}

  // After <Variable> was opened: reads up to its end and fills in the model's variables.
  void read();

  Role role(int slot) const;
  // The slot of a variable; throws Error with the nearest name.
  int slot(std::string_view name, size_t at) const;
  const std::string& slot_name(int slot) const { return slot_names_[slot]; }
  // A value of a slot by name, or by index.
  int value(int slot, std::string_view name, size_t at) const;
  std::string value_name(int slot, int value) const;
  bool is_reward(std::string_view name) const;

 private:
  using Variable = FactoredModel::Variable;
  void read_state();
  void read_values(Variable& variable);
  void number_slots();
  const Variable& variable(int slot) const;

  XmlReader& xml_;
  FactoredModel& model_;
  const ReadOptions& options_;
  std::vector<std::pair<Variable, std::string>> states_;  // with the name after a step
  std::vector<std::string> rewards_;
  std::vector<std::string> slot_names_;
  std::unordered_map<std::string, int> slots_;
  // [slot]: values by name; views into the model's strings
  std::vector<std::unordered_map<std::string_view, int>> values_;
};

// Splits at blanks; advances `rest`. Empty at the end.
std::string_view next_word(std::string_view& rest);

}  // namespace penumbra

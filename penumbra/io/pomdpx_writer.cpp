// The writer of pomdpx_file.h: finds the variables (factoring.h), then writes their diagrams as
// tables, wildcards for what a diagram does not test.
#include <algorithm>
#include <map>

#include "penumbra/io/factoring.h"
#include "penumbra/io/flat_table.h"
#include "penumbra/io/pomdpx_file.h"
#include "penumbra/io/text.h"
#include "penumbra/io/xml_text.h"

namespace penumbra {
namespace {

using Variable = FactoredModel::Variable;
using Ref = Diagram::Ref;

class Writer {
 public:
  explicit Writer(FactoredModel model) : m_(std::move(model)) {
    std::vector<std::string> names;
    for (auto* list : {&m_.actions, &m_.states, &m_.observations})
      for (Variable& v : *list) {
        if (list == &m_.states && v.name.ends_with("_0")) v.name.resize(v.name.size() - 2);
        names.push_back(v.name);
        v.values = plain_names(v.values);
      }
    names = plain_names(std::move(names), {"reward"});
    size_t next = 0;
    for (auto* list : {&m_.actions, &m_.states, &m_.observations})
      for (Variable& v : *list) {
        v.name = names.empty() ? fmt::format("variable{}", next) : names[next];
        ++next;
      }
    for (const Variable& v : m_.actions) slot_names_.push_back(v.name);
    for (const char* when : {"_0", "_1"})
      for (const Variable& v : m_.states) slot_names_.push_back(v.name + when);
    for (const Variable& v : m_.observations) slot_names_.push_back(v.name);
  }

  std::string write() {
    line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    line("<pomdpx version=\"1.0\" id=\"{}\">", xml_text(m_.name));
    line("<Discount>{}</Discount>", m_.discount);
    variables();
    section("InitialStateBelief", m_.start, m_.before(0));
    section("StateTransitionFunction", m_.transition, m_.after(0));
    if (!m_.observations.empty()) section("ObsFunction", m_.observation, m_.seen(0));
    line("<RewardFunction>");
    for (const Diagram& d : m_.rewards) function("Func", d, -1);
    line("</RewardFunction>");
    line("</pomdpx>");
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    append(out_, text, std::forward<Args>(args)...);
    out_.push_back('\n');
  }

  void values(const Variable& v) {
    if (v.values.empty())
      line("<NumValues>{}</NumValues>", v.size);
    else
      line("<ValueEnum>{}</ValueEnum>", fmt::join(v.values, " "));
  }

  void variables() {
    line("<Variable>");
    for (const Variable& v : m_.states) {
      line("<StateVar vnamePrev=\"{}_0\" vnameCurr=\"{}_1\" fullyObs=\"{}\">", v.name, v.name,
           v.visible);
      values(v);
      line("</StateVar>");
    }
    for (const Variable& v : m_.observations) {
      line("<ObsVar vname=\"{}\">", v.name);
      values(v);
      line("</ObsVar>");
    }
    for (const Variable& v : m_.actions) {
      line("<ActionVar vname=\"{}\">", v.name);
      values(v);
      line("</ActionVar>");
    }
    line("<RewardVar vname=\"reward\"/>\n</Variable>");
  }

  void section(const char* name, const std::vector<Diagram>& factors, int first_slot) {
    line("<{}>", name);
    for (size_t i = 0; i < factors.size(); ++i)
      function("CondProb", factors[i], first_slot + static_cast<int>(i));
    line("</{}>", name);
  }

  void function(const char* element, const Diagram& d, int described) {
    d_ = &d;
    described_ = described;
    parents_.clear();
    std::vector<std::string> names;
    const std::vector<bool> tested = d.tested();
    for (int s = 0; s < static_cast<int>(tested.size()); ++s)
      if (tested[s]) {
        parents_.push_back(s);
        names.push_back(slot_names_[s]);
      }
    if (described < 0 && parents_.empty()) {  // a reward needs a parent to be an instance of
      parents_.push_back(0);
      names.push_back(slot_names_[0]);
    }
    line("<{}>\n<Var>{}</Var>\n<Parent>{}</Parent>\n<Parameter type=\"TBL\">", element,
         described < 0 ? "reward" : slot_names_[described],
         names.empty() ? "null" : fmt::format("{}", fmt::join(names, " ")));
    prefix_.assign(parents_.size(), "");
    entries(d.root, 0, true);
    line("</Parameter>\n</{}>", element);
  }

  std::string value_name(int slot, int value) const {
    if (slot < m_.before(0)) return m_.actions[slot].value(value, 'a');
    if (slot >= m_.seen(0)) return m_.observations[slot - m_.seen(0)].value(value, 'o');
    const size_t state = static_cast<size_t>(slot - m_.before(0)) % m_.states.size();
    return m_.states[state].value(value, 's');
  }

  // One entry: the prefix, the described variable's part and the numbers.
  template <class Numbers>
  void entry(const std::string& last, const Numbers& numbers) {
    const char* table = described_ < 0 ? "ValueTable" : "ProbTable";
    append(out_, "<Entry><Instance>{}", fmt::join(prefix_, " "));
    if (described_ >= 0) append(out_, "{}{}", prefix_.empty() ? "" : " ", last);
    line("</Instance><{}>{}</{}></Entry>", table, numbers, table);
  }

  int row_size() const { return described_ < 0 ? 1 : d_->size(described_); }
  // Rows short enough to be written with their zeros.
  bool is_short() const { return row_size() <= 16; }

  void add_dense(std::string& text, Ref leaf) const {
    const char* blank = text.empty() ? "" : " ";
    if (described_ < 0) {
      append(text, "{}{}", blank, d_->values[Diagram::leaf(leaf)]);
      return;
    }
    int next = 0;
    for (const auto& e : d_->rows.row(Diagram::leaf(leaf))) {
      for (; next < e.column; ++next, blank = " ") append(text, "{}0", blank);
      append(text, "{}{}", blank, e.value);
      blank = " ";
      ++next;
    }
    for (; next < row_size(); ++next, blank = " ") append(text, "{}0", blank);
  }

  // `fresh`: no entry so far covers any of this, so zeros need not be written.
  void leaf(Ref at, bool fresh) {
    if (described_ < 0) {
      const double value = d_->values[Diagram::leaf(at)];
      if (!fresh || value != 0) entry("", value);
      return;
    }
    const auto row = d_->rows.row(Diagram::leaf(at));
    if (is_short() || static_cast<int>(row.size()) * 4 >= row_size()) {
      std::string numbers;
      add_dense(numbers, at);
      return entry("-", numbers);
    }
    if (!fresh) entry("*", 0);
    for (const auto& e : row) entry(value_name(described_, e.column), e.value);
  }

  bool is_identity(Ref at, int slot) const {
    if (described_ < 0 || d_->size(slot) != row_size()) return false;
    for (int v = 0; v < row_size(); ++v) {
      const Ref child = d_->child(at, slot, v);
      if (!Diagram::is_leaf(child)) return false;
      const auto row = d_->rows.row(Diagram::leaf(child));
      if (row.size() != 1 || row[0].column != v || row[0].value != 1) return false;
    }
    return true;
  }

  // A last parent whose values are all leaves, few enough for one entry.
  bool is_block(Ref at, int slot) const {
    if (d_->size(slot) * row_size() > 64 || !is_short()) return false;
    for (int v = 0; v < d_->size(slot); ++v)
      if (!Diagram::is_leaf(d_->child(at, slot, v))) return false;
    return true;
  }

  void entries(Ref at, size_t i, bool fresh) {
    if (i == parents_.size()) return leaf(at, fresh);
    const int slot = parents_[i], size = d_->size(slot);
    prefix_[i] = "*";
    if (d_->level(at) != slot) return entries(at, i + 1, fresh);
    const bool is_last = i + 1 == parents_.size();
    if (is_last && is_identity(at, slot)) {
      prefix_[i] = "-";
      return entry("-", "identity");
    }
    if (is_last && is_block(at, slot)) {
      prefix_[i] = "-";
      std::string numbers;
      for (int v = 0; v < size; ++v) add_dense(numbers, d_->child(at, slot, v));
      return entry("-", numbers);
    }
    // The child that most values share goes first, as a wildcard, and the others over it.
    std::map<Ref, int> counts;
    for (int v = 0; v < size; ++v) ++counts[d_->child(at, slot, v)];
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    const bool wild = most->second > 1 && (is_short() || most->second * 2 > size);
    if (wild) entries(most->first, i + 1, fresh);
    for (int v = 0; v < size; ++v) {
      const Ref child = d_->child(at, slot, v);
      if (wild && child == most->first) continue;
      prefix_[i] = value_name(slot, v);
      entries(child, i + 1, fresh && !wild);
    }
  }

  FactoredModel m_;
  std::vector<std::string> slot_names_;
  const Diagram* d_ = nullptr;
  int described_ = -1;
  std::vector<int> parents_;
  std::vector<std::string> prefix_;
  std::string out_;
};

}  // namespace

std::string write_pomdpx_text(const Tabular& table, bool flat) {
  check_tabular(table);
  const Tabular t = tidy(table);
  if (!flat)
    if (auto model = factored(t)) return Writer(std::move(*model)).write();
  return Writer(unfactored(flattened(t))).write();
}

std::string write_pomdpx_text(const FactoredModel& model) {
  return Writer(model).write();
}

}  // namespace penumbra

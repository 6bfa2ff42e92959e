#include "penumbra/io/flat_table.h"

#include <algorithm>
#include <unordered_set>

namespace penumbra {
namespace {

using Entry = SparseRows::Entry;

bool is_tidy(const SparseRows& rows) {
  for (int r = 0; r < rows.num_rows(); ++r) {
    int last = -1;
    for (const Entry& e : rows.row(r)) {
      if (e.column <= last || !(e.value > 0)) return false;
      last = e.column;
    }
  }
  return true;
}

SparseRows tidy_rows(const SparseRows& rows) {
  SparseRows out;
  for (int r = 0; r < rows.num_rows(); ++r) {
    std::vector<Entry> row(rows.row(r).begin(), rows.row(r).end());
    std::stable_sort(row.begin(), row.end(),
                     [](const Entry& a, const Entry& b) { return a.column < b.column; });
    for (size_t i = 0; i < row.size(); ++i) {
      double sum = row[i].value;
      while (i + 1 < row.size() && row[i + 1].column == row[i].column) sum += row[++i].value;
      if (sum > 0) out.add(row[i].column, sum);
    }
    out.end_row();
  }
  return out;
}

}  // namespace

Tabular tidy(Tabular table) {
  for (auto* list : {&table.transition, &table.observation})
    for (SparseRows& rows : *list)
      if (!is_tidy(rows)) rows = tidy_rows(rows);
  for (auto& rewards : table.reward)
    for (double& r : rewards)
      if (r == 0) r = 0;  // no minus zero
  return table;
}

bool is_mdp(const Tabular& t) {
  if (t.visible.empty() || t.num_observations != 1 || t.num_visible != t.num_states) return false;
  for (int s = 0; s < t.num_states; ++s)
    if (t.visible[s] != s) return false;
  return true;
}

Tabular flattened(const Tabular& t) {
  if (t.visible.empty() || is_mdp(t)) return t;
  std::vector<int> index(static_cast<size_t>(num_seen(t)), -1);
  auto pair = [&](int state, int o) { return t.visible[state] * t.num_observations + o; };
  for (const SparseRows& rows : t.observation)
    for (int s = 0; s < t.num_states; ++s)
      for (const Entry& e : rows.row(s))
        if (e.value > 0) index[pair(s, e.column)] = 0;
  Tabular out = t;
  out.num_observations = 0;
  out.observation_names.clear();
  for (int i = 0; i < num_seen(t); ++i) {
    if (index[i] < 0) continue;
    index[i] = out.num_observations++;
    out.observation_names.push_back(seen_name(t, i));
  }
  for (int a = 0; a < t.num_actions; ++a)
    for (int s = 0; s < t.num_states; ++s)
      for (size_t i = t.observation[a].start[s]; i < t.observation[a].start[s + 1]; ++i) {
        Entry& e = out.observation[a].entries[i];
        e.column = std::max(0, index[pair(s, e.column)]);
      }
  out.visible.clear();
  out.num_visible = 1;
  for (StateVariable& v : out.variables) v.visible = false;
  return tidy(std::move(out));
}

std::vector<std::string> plain_names(std::vector<std::string> names,
                                     const std::vector<std::string>& reserved) {
  std::unordered_set<std::string> used(reserved.begin(), reserved.end());
  for (std::string& name : names) {
    for (char& c : name) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!letter && !(c >= '0' && c <= '9') && c != '-' && c != '_') c = '_';
    }
    const char first = name.empty() ? '0' : name[0];
    if (!((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z'))) name = "n" + name;
    if (!used.insert(name).second) return {};
  }
  return names;
}

}  // namespace penumbra

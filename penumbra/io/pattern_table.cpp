#include "penumbra/io/pattern_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/base/error.h"

namespace penumbra {

PatternTable::PatternTable(std::vector<Column> columns, bool probabilities)
    : columns_(std::move(columns)), probabilities_(probabilities), order_(columns_.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  // The variable itself stays last.
  std::sort(order_.begin(), order_.end() - (probabilities ? 1 : 0),
            [&](int a, int b) { return columns_[a].level < columns_[b].level; });
}

void PatternTable::begin(std::span<const int> pattern, size_t at) {
  patterns_.insert(patterns_.end(), pattern.begin(), pattern.end());
  Entry entry;
  entry.begin = entry.end = numbers_.size();
  entry.at = at;
  for (int i = 0; i < num_columns(); ++i)
    if (pattern[order_[i]] >= 0) entry.last_fixed = i;
  entries_.push_back(entry);
  given_ = 0;
  if (num_expected() == 1) entries_.back().kind = Kind::kConstant;
}

double PatternTable::num_expected() const {
  double count = 1;
  for (int c = 0; c < num_columns(); ++c)
    if (pattern(entries_.size() - 1, c) == kEach) count *= columns_[c].size;
  return count;
}

bool PatternTable::is_square() const {
  int size = 0;
  for (int c = 0; c < num_columns(); ++c) {
    if (pattern(entries_.size() - 1, c) != kEach) continue;
    if (size != 0 && columns_[c].size != size) return false;
    size = columns_[c].size;
  }
  return true;
}

void PatternTable::number(double value) {
  Entry& entry = entries_.back();
  if (entry.kind == Kind::kConstant) {
    entry.constant = value;
  } else if (value != 0) {
    positions_.push_back(static_cast<uint64_t>(given_));
    numbers_.push_back(value);
    entry.end = numbers_.size();
  }
  ++given_;
}

void PatternTable::uniform() {
  entries_.back().kind = Kind::kUniform;
}

void PatternTable::identity() {
  entries_.back().kind = Kind::kIdentity;
}

void PatternTable::row(std::vector<SparseRows::Entry> entries) {
  entries_.back().kind = Kind::kRow;
  entries_.back().begin = rows_.size();
  rows_.push_back(std::move(entries));
}

// Goes down the levels with the entries that still match, in the order of the file.
struct PatternTable::Builder {
  struct Item {
    size_t entry;
    uint64_t offset;  // of kNumbers: into its numbers; of kIdentity: 1 + the value seen
  };

  const PatternTable& t;
  Diagram& out;
  Report& report;
  int num_levels;
  std::vector<int> path;
  std::vector<double> scratch;
  std::vector<char> touched;
  std::vector<int> columns;
  Diagram::Ref uniform_row = 0;
  std::vector<Diagram::Ref> given_rows;  // 0: not made yet
  double work = 0;

  Builder(const PatternTable& table, Diagram& diagram, Report& r)
      : t(table),
        out(diagram),
        report(r),
        num_levels(t.num_columns() - (t.probabilities_ ? 1 : 0)),
        given_rows(t.rows_.size(), 0) {
    if (t.probabilities_) {
      scratch.assign(static_cast<size_t>(t.columns_.back().size), 0);
      touched.assign(scratch.size(), 0);
    }
  }

  void spend(size_t steps) {
    work += static_cast<double>(steps);
    if (work > report.max_work) report.too_complex();
  }

  // Entries before one that covers all that is left do not count.
  void prune(std::vector<Item>& items, int level) const {
    for (size_t i = items.size(); i-- > 1;)
      if (t.entries_[items[i].entry].last_fixed < level) {
        items.erase(items.begin(), items.begin() + static_cast<long>(i));
        return;
      }
  }

  uint64_t stride(size_t entry, int column) const {
    uint64_t count = 1;
    for (int c = column + 1; c < t.num_columns(); ++c)
      if (t.pattern(entry, c) == kEach) count *= static_cast<uint64_t>(t.columns_[c].size);
    return count;
  }

  // Whether the values of this column make a difference to an entry that has no fixed one.
  bool splits(const Item& item, int column) const {
    const Kind kind = t.entries_[item.entry].kind;
    return t.pattern(item.entry, column) == kEach &&
           (kind == Kind::kNumbers || kind == Kind::kIdentity);
  }

  Item at_value(Item item, int column, int value) const {
    if (!splits(item, column)) return item;
    if (t.entries_[item.entry].kind == Kind::kIdentity)
      item.offset = 1 + static_cast<uint64_t>(value);
    else
      item.offset += stride(item.entry, column) * static_cast<uint64_t>(value);
    return item;
  }

  Diagram::Ref build(int level, std::vector<Item> items) {
    prune(items, level);
    if (level == num_levels) return t.probabilities_ ? row_leaf(items) : value_leaf(items);
    const int column = t.order_[level], size = t.columns_[column].size;
    spend(items.size() + 1);
    std::vector<Item> wild;
    std::vector<std::pair<int, Item>> fixed;
    bool each = false;
    for (const Item& item : items) {
      const int value = t.pattern(item.entry, column);
      if (value >= 0)
        fixed.emplace_back(value, item);
      else
        wild.push_back(item);
      each = each || splits(item, column);
    }
    path.push_back(kAny);
    Diagram::Ref result;
    if (!each && fixed.empty()) {
      result = build(level + 1, std::move(items));
    } else {
      items = {};
      result = split(level, size, each, wild, fixed);
    }
    path.pop_back();
    return result;
  }

  Diagram::Ref split(int level, int size, bool each, const std::vector<Item>& wild,
                     std::vector<std::pair<int, Item>>& fixed) {
    const int column = t.order_[level];
    std::stable_sort(fixed.begin(), fixed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Diagram::Edge> edges;
    size_t f = 0;
    for (int v = each || fixed.empty() ? 0 : fixed[0].first; v < size;) {
      std::vector<Item> mine;
      size_t w = 0;
      for (; f < fixed.size() && fixed[f].first == v; ++f) {
        for (; w < wild.size() && wild[w].entry < fixed[f].second.entry; ++w)
          mine.push_back(at_value(wild[w], column, v));
        mine.push_back(fixed[f].second);
      }
      for (; w < wild.size(); ++w) mine.push_back(at_value(wild[w], column, v));
      spend(mine.size());
      path.back() = v;
      edges.push_back({v, build(level + 1, std::move(mine))});
      if (each)
        ++v;
      else if (f < fixed.size())
        v = fixed[f].first;
      else
        break;
    }
    Diagram::Ref otherwise = edges[0].child;
    if (static_cast<int>(edges.size()) < size) {
      // A message names the first value that has no entry of its own.
      int first = 0;
      for (const Diagram::Edge& e : edges) first += e.value == first;
      path.back() = first;
      otherwise = build(level + 1, wild);
    }
    return out.add_node(t.columns_[column].level, otherwise, std::move(edges));
  }

  double number_at(const Entry& e, uint64_t position) const {
    if (e.kind == Kind::kConstant) return e.constant;
    const auto begin = t.positions_.begin() + static_cast<long>(e.begin);
    const auto end = t.positions_.begin() + static_cast<long>(e.end);
    const auto at = std::lower_bound(begin, end, position);
    return at != end && *at == position ? t.numbers_[static_cast<size_t>(at - t.positions_.begin())]
                                        : 0;
  }

  Diagram::Ref value_leaf(const std::vector<Item>& items) {
    if (items.empty()) return out.add_value(0);
    const double value = number_at(t.entries_[items.back().entry], items.back().offset);
    return out.add_value(value == 0 ? 0.0 : value);  // no minus zero
  }

  void set(int column, double value) {
    if (!touched[column]) columns.push_back(column);
    touched[column] = 1;
    scratch[column] = value;
  }

  // What the first of the entries gives to all columns; the others give to one each.
  void cover(const Item& item) {
    const Entry& e = t.entries_[item.entry];
    const int n = static_cast<int>(scratch.size());
    const uint64_t end = item.offset + static_cast<uint64_t>(n);
    const bool all = t.pattern(item.entry, t.num_columns() - 1) == kAny;
    if (e.kind == Kind::kIdentity) {
      if (item.offset > 0) set(static_cast<int>(item.offset - 1), 1);
    } else if (e.kind == Kind::kUniform || all) {
      const double p = e.kind == Kind::kUniform ? 1.0 / n : number_at(e, item.offset);
      if (p == 0) return;
      spend(static_cast<size_t>(n));
      for (int c = 0; c < n; ++c) set(c, p);
    } else if (e.kind == Kind::kConstant) {
      set(0, e.constant);  // the variable has one value
    } else if (e.kind == Kind::kRow) {
      for (const auto& entry : t.rows_[e.begin]) set(entry.column, entry.value);
    } else {
      const auto begin = t.positions_.begin();
      auto at = std::lower_bound(begin + static_cast<long>(e.begin),
                                 begin + static_cast<long>(e.end), item.offset);
      for (; at != begin + static_cast<long>(e.end) && *at < end; ++at)
        set(static_cast<int>(*at - item.offset), t.numbers_[static_cast<size_t>(at - begin)]);
    }
  }

  Diagram::Ref row_leaf(const std::vector<Item>& items) {
    // The rows that many patterns share are made once.
    Diagram::Ref* shared = nullptr;
    if (items.size() == 1) {
      const Entry& e = t.entries_[items[0].entry];
      if (e.kind == Kind::kUniform) shared = &uniform_row;
      if (e.kind == Kind::kRow) shared = &given_rows[e.begin];
    }
    if (shared && *shared != 0) return *shared;
    columns.clear();
    for (const Item& item : items) {
      const int column = t.pattern(item.entry, t.num_columns() - 1);
      if (column < 0)
        cover(item);
      else
        set(column, number_at(t.entries_[item.entry], item.offset));
    }
    spend(columns.size() + 1);
    std::sort(columns.begin(), columns.end());
    std::vector<SparseRows::Entry> row;
    double sum = 0;
    for (int c : columns) {
      if (scratch[c] != 0) row.push_back({c, scratch[c]});
      sum += scratch[c];
      touched[c] = 0;
    }
    const size_t at = items.empty() ? std::string::npos : t.entries_[items.back().entry].at;
    const double off = std::abs(sum - 1);
    if (!(off <= kTolerance)) report.bad_row(path, sum, at);
    if (off > kExact) {
      for (auto& e : row) e.value /= sum;
      if (report.scaled++ == 0) report.first_at = at;
      report.worst = std::max(report.worst, off);
    }
    const Diagram::Ref ref = out.add_row(row);
    if (shared) *shared = ref;
    return ref;
  }
};

Diagram PatternTable::build(std::vector<int> sizes, Report& report) const {
  Diagram out(std::move(sizes));
  Builder builder(*this, out, report);
  std::vector<Builder::Item> items(entries_.size());
  for (size_t i = 0; i < items.size(); ++i) items[i] = {i, 0};
  out.root = builder.build(0, std::move(items));
  return out;
}

}  // namespace penumbra

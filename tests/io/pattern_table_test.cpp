#include "penumbra/io/pattern_table.h"

#include <gtest/gtest.h>

#include <map>

#include "penumbra/base/error.h"
#include "penumbra/base/rng.h"

namespace penumbra {
namespace {

constexpr int kAny = PatternTable::kAny, kEach = PatternTable::kEach;

// What a list of entries means, written out cell by cell.
struct Dense {
  std::vector<int> sizes;
  std::map<std::vector<int>, double> cells;

  void write(const std::vector<int>& pattern, const std::vector<double>& numbers) {
    std::vector<int> cell(sizes.size());
    visit(pattern, numbers, 0, 0, cell);
  }
  void visit(const std::vector<int>& pattern, const std::vector<double>& numbers, size_t column,
             size_t offset, std::vector<int>& cell) {
    if (column == sizes.size()) {
      cells[cell] = numbers[offset];
      return;
    }
    for (int v = 0; v < sizes[column]; ++v) {
      if (pattern[column] >= 0 && pattern[column] != v) continue;
      cell[column] = v;
      const size_t next = pattern[column] == kEach ? offset * sizes[column] + v : offset;
      visit(pattern, numbers, column + 1, next, cell);
    }
  }
};

double at(const Diagram& d, const std::vector<int>& level_values) {
  Diagram::Ref ref = d.root;
  for (int l = 0; l < static_cast<int>(level_values.size()); ++l)
    ref = d.child(ref, l, level_values[l]);
  return d.values[Diagram::leaf(ref)];
}

TEST(PatternTable, MeansWhatItSaysCellByCell) {
  for (int round = 0; round < 200; ++round) {
    Rng rng(RngKey::from_seed(1), round);
    const std::vector<int> sizes = {3, 2, 4, 2}, level = {2, 0, 3, 1};
    std::vector<PatternTable::Column> columns;
    for (int c = 0; c < 4; ++c) columns.push_back({level[c], sizes[c]});
    PatternTable table(columns, false);
    Dense dense{sizes, {}};
    for (uint32_t e = rng.below(12); e > 0; --e) {
      std::vector<int> pattern(4);
      for (int c = 0; c < 4; ++c) {
        const int kind = static_cast<int>(rng.below(4));
        pattern[c] = kind == 0 ? kAny : kind == 1 ? kEach : static_cast<int>(rng.below(sizes[c]));
      }
      table.begin(pattern, 0);
      std::vector<double> numbers;
      for (double n = table.num_expected(); n > 0; --n)
        numbers.push_back(rng.below(3) ? rng.below(5) : 0);
      for (double n : numbers) table.number(n);
      dense.write(pattern, numbers);
    }
    PatternTable::Report report;
    const Diagram d = table.build({2, 2, 3, 4}, report);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 2; ++b)
        for (int c = 0; c < 4; ++c)
          for (int e = 0; e < 2; ++e) {
            const auto cell = dense.cells.find({a, b, c, e});
            EXPECT_EQ(at(d, {b, e, a, c}), cell == dense.cells.end() ? 0 : cell->second);
          }
  }
}

TEST(PatternTable, WildcardsOfAMillionValuesAreOneNode) {
  PatternTable table({{0, 1'000'000}, {1, 1'000'000}, {2, 2}}, true);
  table.begin(std::vector{kAny, kAny, kEach}, 0);
  table.number(0.5);
  table.number(0.5);
  table.begin(std::vector{kAny, 7, 1}, 0);
  table.number(1);
  table.begin(std::vector{kAny, 7, 0}, 0);
  table.number(0);
  PatternTable::Report report;
  const Diagram d = table.build({1'000'000, 1'000'000, 2}, report);
  EXPECT_EQ(d.num_nodes(), 1);
  EXPECT_EQ(d.rows.num_rows(), 2);
  const auto row = d.rows.row(Diagram::leaf(d.child(d.root, 1, 7)));
  ASSERT_EQ(row.size(), 1);
  EXPECT_EQ(row[0].column, 1);
}

TEST(PatternTable, RowsNearOneAreScaledAndOthersReported) {
  PatternTable table({{0, 2}, {1, 2}}, true);
  table.begin(std::vector{0, kEach}, 10);
  for (double p : {0.5, 0.499995}) table.number(p);
  table.begin(std::vector{1, kEach}, 20);
  for (double p : {0.25, 0.75}) table.number(p);
  PatternTable::Report report;
  const Diagram d = table.build({2, 2}, report);
  EXPECT_EQ(report.scaled, 1);
  EXPECT_EQ(report.first_at, 10);
  const auto row = d.rows.row(Diagram::leaf(d.child(d.root, 0, 0)));
  EXPECT_NEAR(row[0].value + row[1].value, 1, 1e-15);
  table.begin(std::vector{1, 1}, 30);
  table.number(0.5);
  report.bad_row = [](std::span<const int> path, double sum, size_t at) {
    EXPECT_EQ(path[0], 1);
    EXPECT_EQ(sum, 0.75);
    EXPECT_EQ(at, 30);
    throw Error("bad");
  };
  EXPECT_THROW(table.build({2, 2}, report), Error);
}

}  // namespace
}  // namespace penumbra

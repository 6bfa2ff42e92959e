// Tables as both file formats write them: a list of entries, each a pattern over some columns and
// its numbers. Where entries overlap the last one counts; what none covers is 0. build() turns the
// list into a Diagram without ever writing a wildcard out.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "penumbra/io/diagram.h"

namespace penumbra {

class PatternTable {
 public:
  static constexpr int kAny = -1;   // *: the same for every value
  static constexpr int kEach = -2;  // -: numbers follow for every value, the last column fastest

  struct Column {
    int level;  // of the diagram
    int size;   // values
  };
  // Of probabilities the last column is the variable that they are distributions of.
  PatternTable(std::vector<Column> columns, bool probabilities);

  // Begins an entry: a value, kAny or kEach per column; `at` is its place in the file.
  void begin(std::span<const int> pattern, size_t at);
  double num_expected() const;  // how many numbers the entry has to get
  void number(double value);
  double num_given() const { return given_; }
  // Whether all columns of the entry that are kEach have as many values.
  bool is_square() const;
  // Instead of numbers. Both want the last column to be kEach (or kAny), identity one other kEach.
  void uniform();
  void identity();
  // Rows of the entry become this distribution.
  void row(std::vector<SparseRows::Entry> entries);

  size_t num_entries() const { return entries_.size(); }

  struct Report {
    // The diagram's path of a row that does not sum to 1 (kAny: any), its sum, and the place of
    // the last entry that wrote to it (or npos). Must throw.
    std::function<void(std::span<const int> path, double sum, size_t at)> bad_row;
    double max_work = 3e8;  // steps; beyond it, too_complex is called. Must throw.
    std::function<void()> too_complex;
    // Rows off by at most kTolerance were scaled.
    int scaled = 0;
    double worst = 0;
    size_t first_at = 0;
  };
  static constexpr double kTolerance = 1e-5 + 1e-9;  // 0.99999 counts as within
  static constexpr double kExact = 1e-9;             // rows this close to 1 stay as they are

  // `sizes`: the number of values of every level of the diagram.
  Diagram build(std::vector<int> sizes, Report& report) const;

 private:
  enum class Kind : uint8_t { kNumbers, kConstant, kUniform, kIdentity, kRow };
  struct Entry {
    Kind kind = Kind::kNumbers;
    int last_fixed = -1;        // in the order of levels: no column beyond it has a fixed value
    size_t begin = 0, end = 0;  // of the numbers, or the row
    double constant = 0;        // of kConstant
    size_t at = 0;
  };
  struct Builder;

  int num_columns() const { return static_cast<int>(columns_.size()); }
  int pattern(size_t entry, int column) const {
    return patterns_[entry * columns_.size() + static_cast<size_t>(column)];
  }

  std::vector<Column> columns_;
  bool probabilities_;
  std::vector<int> order_;  // the columns by level
  std::vector<int> patterns_;
  std::vector<Entry> entries_;
  // Numbers that are not 0, and where they stand in their entry.
  std::vector<uint64_t> positions_;
  std::vector<double> numbers_;
  std::vector<std::vector<SparseRows::Entry>> rows_;
  double given_ = 0;
};

}  // namespace penumbra

// Lines of a terminal that are drawn again and again in the same place. Between two drawings the
// cursor stands below them, visible and without a colour: a program that is killed leaves a
// terminal that needs no mending.
#pragma once

#include <string>
#include <vector>

namespace penumbra::cli {

class LiveBlock {
 public:
  explicit LiveBlock(int stream) : stream_(stream) {}

  // `columns`: of the terminal now. Lines must be narrower.
  void draw(const std::vector<std::string>& lines, int columns);
  // Puts a line above the block, where it stays.
  void print_above(const std::string& line, int columns);
  // Takes it away: what is written next stands in its place.
  void erase(int columns);
  // Leaves it as it is: the next drawing is a new one.
  void leave() { shown_.clear(); }

 private:
  int rows_on(int columns) const;
  void write_all(const std::string& text) const;

  int stream_;
  int columns_ = 0;  // when it was drawn
  std::vector<std::string> shown_;
};

}  // namespace penumbra::cli

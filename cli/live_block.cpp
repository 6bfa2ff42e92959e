#include "cli/live_block.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "cli/styled_line.h"

namespace penumbra::cli {
namespace {

// Without the sequences that set colours.
int width_on_terminal(const std::string& line) {
  std::string plain;
  for (size_t i = 0; i < line.size(); ++i)
    if (line[i] == '\033')
      i = std::min(line.size(), line.find('m', i));
    else
      plain += line[i];
  return display_width(plain);
}

std::string up(int rows) {
  return rows > 0 ? fmt::format("\r\033[{}A", rows) : "\r";
}

}  // namespace

// A terminal that became narrower has broken the lines into more.
int LiveBlock::rows_on(int columns) const {
  int rows = 0;
  for (const std::string& line : shown_)
    rows += std::max(1, (width_on_terminal(line) + columns - 1) / std::max(1, columns));
  return rows;
}

void LiveBlock::draw(const std::vector<std::string>& lines, int columns) {
  if (lines == shown_ && columns == columns_) return;
  std::string frame = up(rows_on(columns));
  for (const std::string& line : lines) frame += line + "\033[K\n";
  write_all(frame + "\033[J");  // what is left of a longer block, and what was typed
  shown_ = lines;
  columns_ = columns;
}

void LiveBlock::print_above(const std::string& line, int columns) {
  const std::vector<std::string> block = shown_;
  erase(columns);
  write_all(line + "\n");
  if (!block.empty()) draw(block, columns);
}

// Row by row: some terminals keep in their history what is cleared from the top of the screen on.
void LiveBlock::erase(int columns) {
  const int rows = rows_on(columns);
  if (rows == 0) return;
  std::string frame = up(rows);
  for (int i = 0; i < rows; ++i) frame += "\033[K\n";
  write_all(frame + "\033[K" + up(rows));
  shown_.clear();
}

// One call for a whole frame, so that a signal finds it drawn or not.
void LiveBlock::write_all(const std::string& text) const {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(stream_, text.data() + at, text.size() - at);
    if (n < 0 && errno != EINTR) return;  // a terminal that is gone does not stop a solve
    if (n > 0) at += static_cast<size_t>(n);
  }
}

}  // namespace penumbra::cli

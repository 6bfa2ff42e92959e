// What a terminal shows after some output: as much of one as the program uses. Other escape
// sequences are kept in `unknown`.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

class Screen {
 public:
  Screen(int columns, const std::string& output) : columns_(columns) {
    for (size_t i = 0; i < output.size(); ++i) {
      const unsigned char c = static_cast<unsigned char>(output[i]);
      if (c == '\033')
        i = steer(output, i);
      else if (c == '\r')
        x_ = 0;
      else if (c == '\n')
        to(y_ + 1);
      else if ((c & 0xC0) == 0x80)
        cell().append(1, output[i]);  // the rest of a character
      else
        put(output[i]);
    }
  }

  // Without spaces at the ends of lines, and without empty lines at the end.
  std::string text() const {
    std::string out;
    for (const auto& row : rows_) {
      for (const std::string& cell : row) out += cell;
      out.erase(out.find_last_not_of(' ') + 1);
      out += '\n';
    }
    return out.substr(0, out.find_last_not_of('\n') + 1);
  }
  int wraps() const { return wraps_; }
  std::string unknown;

 private:
  void to(size_t y) {
    y_ = y;
    if (rows_.size() <= y_) rows_.resize(y_ + 1);
  }
  std::string& cell() {
    auto& row = rows_[y_];
    return row[std::max<size_t>(x_, 1) - 1];
  }
  void put(char c) {
    if (static_cast<int>(x_) >= columns_) {
      ++wraps_;
      x_ = 0;
      to(y_ + 1);
    }
    auto& row = rows_[y_];
    if (row.size() <= x_) row.resize(x_ + 1, " ");
    row[x_++] = std::string(1, c);
  }
  // Returns where the sequence ends.
  size_t steer(const std::string& output, size_t at) {
    size_t end = at + 2;
    while (end < output.size() && !isalpha(static_cast<unsigned char>(output[end]))) ++end;
    const std::string number = output.substr(at + 2, end - at - 2);
    const char what = end < output.size() ? output[end] : '?';
    auto& row = rows_[y_];
    if (what == 'A')
      to(y_ - std::min(y_, static_cast<size_t>(std::stoi(number))));
    else if (what == 'K' && row.size() > x_)
      row.resize(x_);
    else if (what == 'J') {
      if (row.size() > x_) row.resize(x_);
      rows_.resize(y_ + 1);
    } else if (what != 'm' && what != 'K')
      unknown += output.substr(at, end - at + 1);
    return end;
  }

  int columns_, wraps_ = 0;
  size_t x_ = 0, y_ = 0;
  std::vector<std::vector<std::string>> rows_{1};
};

// The text of a file that is being read, and messages that point into it:
//
//   maze.pomdp:12:8: there is no state 'lef' (did you mean 'left'?)
//     T: go : lef : right 1.0
//             ^
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace penumbra {

// What a reader of models is asked to do.
struct ReadOptions {
  bool strict = false;        // refuse what would only be warned about
  double memory_limit = 4e9;  // bytes; a model that needs more is refused before it takes them
};

class SourceText {
 public:
  SourceText(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}
  // Throws Error if the file is not there, not a file, or larger than `max_bytes`.
  static SourceText load(const std::string& path, double max_bytes);

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  int line(size_t at) const;
  // Throws Error: the place, what is wrong, the line and a caret.
  [[noreturn]] void fail(size_t at, const std::string& what) const;

 private:
  std::string path_, text_;
};

// A name for a message: cut when it is very long, odd bytes replaced.
std::string quoted(std::string_view name);

// Collects warnings; with `strict` the first is an Error.
class Warnings {
 public:
  Warnings(const SourceText& source, bool strict) : source_(source), strict_(strict) {}
  void add(size_t at, const std::string& what);
  std::vector<std::string> take() { return std::move(list_); }

 private:
  const SourceText& source_;
  bool strict_;
  std::vector<std::string> list_;
};

}  // namespace penumbra

// Numbers separated by white space, with the place of each for messages.
#pragma once

#include <string_view>

#include "penumbra/io/source_text.h"

namespace penumbra {

class NumberWords {
 public:
  // `text` is a part of the source that begins at byte `at`.
  NumberWords(const SourceText& source, std::string_view text, size_t at)
      : source_(source), text_(text), at_(at) {}

  bool at_end();
  std::string_view word();               // the next one; empty at the end
  bool skip(std::string_view expected);  // passes over the next word if it is this one
  double number();                       // throws Error where the next word is no finite number
  int whole(int low, int high, const char* what);
  size_t at() const { return at_ + next_; }
  [[noreturn]] void fail(const std::string& what) const { source_.fail(at_ + last_, what); }

 private:
  const SourceText& source_;
  std::string_view text_;
  size_t at_, next_ = 0, last_ = 0;
};

}  // namespace penumbra

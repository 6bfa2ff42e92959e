// The tokens of Cassandra's .pomdp format. White space, newlines included, separates; # starts a
// comment; a sign is a token of its own.
#pragma once

#include <string_view>

#include "penumbra/io/source_text.h"

namespace penumbra {

class PomdpScanner {
 public:
  enum class Kind { kEnd, kColon, kStar, kPlus, kMinus, kNumber, kWord };
  struct Token {
    Kind kind = Kind::kEnd;
    std::string_view text{};
    size_t at = 0;
    double value = 0;       // of a number
    bool is_whole = false;  // a number of digits alone
  };

  PomdpScanner(const SourceText& source, Warnings& warnings)
      : source_(source), warnings_(warnings), text_(source.text()) {
    advance();
  }

  const Token& token() const { return token_; }
  bool is(Kind kind) const { return token_.kind == kind; }
  bool is_word(std::string_view word) const { return is(Kind::kWord) && token_.text == word; }
  // Whether a ':' follows the token: then it is a keyword.
  bool before_colon() const;
  void advance();
  // How a message names the token.
  std::string describe() const;
  [[noreturn]] void fail(const std::string& what) const { source_.fail(token_.at, what); }

 private:
  void scan_number(size_t begin);
  size_t skip_blanks(size_t at) const;

  const SourceText& source_;
  Warnings& warnings_;
  std::string_view text_;
  size_t next_ = 0;
  bool warned_about_point_ = false;
  Token token_;
};

}  // namespace penumbra

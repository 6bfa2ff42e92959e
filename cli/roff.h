// The language of man pages, as far as ours need it. Text is taken as it is: nothing in it is a
// command to the formatter.
#pragma once

#include <string>

namespace penumbra::cli {

class Roff {
 public:
  // `footer`: who made the page. A page has no date: the same sources give the same bytes.
  Roff(const std::string& title, const std::string& footer);

  void section(const std::string& title);
  void subsection(const std::string& title);
  void paragraph(const std::string& text);
  // A bold term, the values that it takes, and what it means.
  void item(const std::string& term, const std::string& values, const std::string& text);
  // Lines as they are.
  void verbatim(const std::string& lines);
  // The end of a --help: blocks between empty lines. "Examples:" becomes a section, text after it
  // another.
  void footer(const std::string& text);
  // One line of words that are bold and values that are not.
  void synopsis(const std::string& bold, const std::string& values);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace penumbra::cli

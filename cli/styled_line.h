// A line of text for a terminal: pieces with colours, of which the width is known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace penumbra::cli {

enum class Colour { kPlain, kBold, kDim, kGood, kWarning, kBad, kAccent };

// Columns that a text takes, in UTF-8.
int display_width(std::string_view text);
// The text as a terminal may be given it: nothing that steers it, and plain ASCII unless `unicode`.
std::string shown_text(std::string_view text, bool unicode);

class StyledLine {
 public:
  StyledLine& add(std::string text, Colour colour = Colour::kPlain);
  // Puts spaces up to this column.
  StyledLine& fill_to(int column);
  int width() const { return width_; }
  // Cuts what stands beyond this many columns.
  void clip(int columns);
  // With escape sequences for colours, each ended again, if `colours`.
  std::string text(bool colours) const;

 private:
  struct Piece {
    std::string text;
    Colour colour;
  };
  std::vector<Piece> pieces_;
  int width_ = 0;
};

// The first that takes no more than these columns; the last one cut where all do.
StyledLine widest_that_fits(std::vector<StyledLine> lines, int columns);

}  // namespace penumbra::cli

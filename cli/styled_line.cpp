#include "cli/styled_line.h"

#include <cstdint>

namespace penumbra::cli {
namespace {

constexpr uint32_t kBadByte = 0xFFFD;

// One character, of which `size` bytes are taken; kBadByte with size 1: it is no UTF-8.
uint32_t first_character(std::string_view text, size_t& size) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  size = byte(0) < 0x80 ? 1 : byte(0) < 0xC2 ? 0 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  bool good = size > 0 && size <= text.size() && byte(0) < 0xF5;
  for (size_t i = 1; good && i < size; ++i) good = (byte(i) & 0xC0) == 0x80;
  if (!good) {
    size = 1;
    return kBadByte;
  }
  uint32_t character = size == 1 ? byte(0) : byte(0) & (0x7F >> size);
  for (size_t i = 1; i < size; ++i) character = character << 6 | (byte(i) & 0x3F);
  return character;
}

// Roughly: marks that stand on the letter before, and the wide scripts of East Asia.
int columns_of(uint32_t c) {
  if (c >= 0x300 && c < 0x370) return 0;
  const bool wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2E80 && c < 0xA4D0) ||
                    (c >= 0xAC00 && c < 0xD7A4) || (c >= 0xF900 && c < 0xFB00) ||
                    (c >= 0xFF00 && c < 0xFF61) || c >= 0x1F300;
  return wide ? 2 : 1;
}

const char* sequence_of(Colour colour) {
  switch (colour) {
    case Colour::kPlain:
      return "";
    case Colour::kBold:
      return "\033[1m";
    case Colour::kDim:
      return "\033[2m";
    case Colour::kGood:
      return "\033[32m";
    case Colour::kWarning:
      return "\033[33m";
    case Colour::kBad:
      return "\033[31m";
    case Colour::kAccent:
      return "\033[36m";
  }
  return "";
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  for (size_t size = 0; !text.empty(); text.remove_prefix(size))
    width += columns_of(first_character(text, size));
  return width;
}

std::string shown_text(std::string_view text, bool unicode) {
  std::string out;
  for (size_t size = 0; !text.empty(); text.remove_prefix(size)) {
    const uint32_t c = first_character(text, size);
    const bool steers = c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c < 0x2010) ||
                        (c >= 0x2028 && c < 0x2030) || (c >= 0x2060 && c < 0x2070);
    if (steers || c == kBadByte || (c >= 0x80 && !unicode))
      out += '?';
    else
      out += text.substr(0, size);
  }
  return out;
}

StyledLine& StyledLine::add(std::string text, Colour colour) {
  width_ += display_width(text);
  pieces_.push_back({std::move(text), colour});
  return *this;
}

StyledLine& StyledLine::fill_to(int column) {
  if (width_ < column) add(std::string(static_cast<size_t>(column - width_), ' '));
  return *this;
}

void StyledLine::clip(int columns) {
  width_ = 0;
  for (Piece& piece : pieces_) {
    std::string_view rest = piece.text;
    size_t kept = 0;
    for (size_t size = 0; !rest.empty(); rest.remove_prefix(size)) {
      const int more = columns_of(first_character(rest, size));
      if (width_ + more > columns) break;
      width_ += more;
      kept += size;
    }
    const bool cut = kept < piece.text.size();
    piece.text.resize(kept);
    if (cut) columns = width_;  // nothing after it either
  }
}

std::string StyledLine::text(bool colours) const {
  std::string out;
  for (const Piece& piece : pieces_) {
    const std::string begin = colours && !piece.text.empty() ? sequence_of(piece.colour) : "";
    out += begin + piece.text;
    if (!begin.empty()) out += "\033[0m";
  }
  return out;
}

StyledLine widest_that_fits(std::vector<StyledLine> lines, int columns) {
  for (StyledLine& line : lines)
    if (line.width() <= columns) return std::move(line);
  lines.back().clip(columns);
  return std::move(lines.back());
}

}  // namespace penumbra::cli

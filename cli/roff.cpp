#include "cli/roff.h"

#include <fmt/format.h>

#include <sstream>

namespace penumbra::cli {
namespace {

// Quotes, carets and dashes stay those of ASCII, so that examples can be copied.
std::string escaped(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && c == '.') out += "\\&";
    line_begins = c == '\n';
    switch (c) {
      case '\\':
        out += "\\(rs";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '"':
        out += "\\(dq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// Columns were made by hand where spaces stand in a row.
bool is_verbatim(const std::string& block) {
  return block.find("  ") != std::string::npos;
}

}  // namespace

Roff::Roff(const std::string& title, const std::string& footer)
    : text_(fmt::format(".TH \"{}\" 1 \"\" \"{}\" \"User Commands\"\n", escaped(title),
                        escaped(footer))) {}

void Roff::section(const std::string& title) {
  text_ += fmt::format(".SH \"{}\"\n", escaped(title));
}

void Roff::subsection(const std::string& title) {
  text_ += fmt::format(".SS \"{}\"\n", escaped(title));
}

void Roff::paragraph(const std::string& text) {
  text_ += fmt::format(".PP\n{}\n", escaped(text));
}

void Roff::item(const std::string& term, const std::string& values, const std::string& text) {
  text_ += ".TP\n";
  synopsis(term, values);
  text_ += (text.empty() ? "\\&" : escaped(text)) + "\n";
}

void Roff::verbatim(const std::string& lines) {
  text_ += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(lines));
}

void Roff::synopsis(const std::string& bold, const std::string& values) {
  text_ += fmt::format("\\fB{}\\fR", escaped(bold));
  if (!values.empty()) text_ += fmt::format(" \\fI{}\\fR", escaped(values));
  text_ += "\n";
}

void Roff::footer(const std::string& text) {
  std::istringstream in(text + "\n\n");
  std::string block;
  bool notes = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "Examples:") {
      section("EXAMPLES");
    } else if (!line.empty()) {
      block += (block.empty() ? "" : "\n") + line;
    } else if (!block.empty()) {
      const bool examples = block.starts_with("  ");
      if (!examples && !notes) section("NOTES");
      notes = notes || !examples;
      is_verbatim(block) ? verbatim(block) : paragraph(block);
      block.clear();
    }
  }
}

}  // namespace penumbra::cli

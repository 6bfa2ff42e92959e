#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <string>

namespace penumbra::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

bool is_terminal(int stream) {
  const std::string term = environment("TERM");
  return isatty(stream) && !term.empty() && term != "dumb";
}

bool takes_blocks(int stream) {
  return is_terminal(stream) && environment("NO_COLOR").empty();
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale = environment(name), letters;
    if (locale.empty()) continue;
    for (const char c : locale)
      if (c != '-') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return letters.find("utf8") != std::string::npos;
  }
  return false;
}

BlockStyle style_of(int stream) {
  BlockStyle style;
  style.unicode = locale_is_utf8();
  style.colours = takes_blocks(stream);
  winsize size = {};
  if (isatty(stream) && ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.columns = size.ws_col;
    if (size.ws_row > 0) style.rows = size.ws_row;
  }
  return style;
}

}  // namespace penumbra::cli

// A whole file as text.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string>

#include "penumbra/base/error.h"

namespace penumbra {

// `what` it is, for the message.
inline std::string read_text(const std::string& path, const std::string& what) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw Error(fmt::format("cannot read {} '{}'", what, path));
  return text.str();
}

}  // namespace penumbra

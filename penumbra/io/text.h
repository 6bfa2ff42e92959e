// Text in the making.
#pragma once

#include <fmt/format.h>

#include <string>

namespace penumbra {

void vappend(std::string& out, fmt::string_view format, fmt::format_args values);

// Like fmt::format_to() at the end of a string, which compiles all formatting anew wherever it
// stands: here that is compiled once.
template <class... Args>
void append(std::string& out, fmt::format_string<Args...> format, Args&&... values) {
  vappend(out, fmt::string_view(format), fmt::make_format_args(values...));
}

}  // namespace penumbra

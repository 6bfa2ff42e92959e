#include "penumbra/io/text.h"

#include <iterator>

namespace penumbra {

void vappend(std::string& out, fmt::string_view format, fmt::format_args values) {
  fmt::vformat_to(std::back_inserter(out), format, values);
}

}  // namespace penumbra

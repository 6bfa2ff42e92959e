#include "penumbra/base/error.h"

#include <cstring>

namespace penumbra {

void fail_check(const char* condition, const char* file, int line, const std::string& message) {
  const char* slash = std::strrchr(file, '/');
  throw InvariantError(message + " [" + condition + ", " + (slash ? slash + 1 : file) + ":" +
                       std::to_string(line) + "]");
}

}  // namespace penumbra

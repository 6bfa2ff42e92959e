// The message of the Error that `body` throws; empty: it throws none.
#pragma once

#include <string>

#include "penumbra/base/error.h"

namespace penumbra {

template <class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace penumbra

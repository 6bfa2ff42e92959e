// How much memory this process has.
#pragma once

#include <cstddef>

namespace penumbra {

size_t resident_bytes();       // now
size_t peak_resident_bytes();  // at most, so far

}  // namespace penumbra

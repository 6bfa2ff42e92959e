#pragma once

#include <string>

namespace penumbra {

// What rounding depends on: what the program was compiled for, and the kernels that it chose.
std::string instruction_set();

}  // namespace penumbra

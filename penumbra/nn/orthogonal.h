// Random matrices whose rows, or columns where there are fewer, are orthogonal to each other and of
// length `gain`: signals and slopes keep their size through many layers or steps.
#pragma once

#include <vector>

#include "penumbra/base/rng.h"

namespace penumbra::nn {

// Row-major, rows x columns.
std::vector<float> orthogonal(int rows, int columns, double gain, RngKey key);

}  // namespace penumbra::nn

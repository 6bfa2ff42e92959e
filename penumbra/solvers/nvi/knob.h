#pragma once
#include <cstdlib>
namespace penumbra::nvi {
inline double knob(const char* name, double fallback) {
  const char* v = std::getenv(name);
  return v ? std::atof(v) : fallback;
}
}

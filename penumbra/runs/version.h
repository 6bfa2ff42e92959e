// Which program this is, to the commit.
#pragma once

#include <string>

namespace penumbra {

// `git describe` of the source at the last build; empty where it was not built from a checkout.
// Made by cmake/build_identity.cmake.
const char* build_identity();

// "penumbra 0.1.0 (d6bd48a)": the version and the build, for everything that is kept. Two builds of
// one commit with different uncommitted changes are both "(d6bd48a-dirty)".
std::string program_version();

}  // namespace penumbra

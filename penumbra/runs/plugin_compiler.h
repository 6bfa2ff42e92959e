// Compiles a model of one's own into a plug-in, with the compiler of the machine.
#pragma once

#include <string>
#include <vector>

namespace penumbra {

// The compiler: the words of $CXX, or c++; the first one is a path where it could be found.
std::vector<std::string> plugin_compiler();
// Everything besides the file itself that decides what a compilation gives, as text.
std::string compilation_identity();

// Writes `output` and what the source includes (`output`.d). Throws Error with the compiler's own
// words. Returns them where it only warned.
std::string compile_plugin(const std::string& source, const std::string& output);

// The headers that the program was made of, in one word.
const char* plugin_contract();

}  // namespace penumbra

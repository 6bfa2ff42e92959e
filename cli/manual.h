// Pages for man(1), made of what --help is made of: penumbra.1 and one page per command. The build
// calls `penumbra manual FOLDER` (cmake/manual.cmake).
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace penumbra::cli {

// Writes them into a folder, which is made where it is not there.
void write_manual(const CLI::App& app, const std::string& folder);

}  // namespace penumbra::cli

// Which code of others the user lets the program run: what the command line names, and everything
// with --trust. Files that the program reads (runs, policies, experiments, configurations) cannot
// grant it, and neither can the environment.
#pragma once

#include <string>
#include <vector>

namespace penumbra::cli {

// Called once, with the arguments of the program.
void remember_arguments(const std::vector<std::string>& arguments);
// Whether they name the file, or trust all.
bool is_named_or_trusted(const std::string& file);

}  // namespace penumbra::cli

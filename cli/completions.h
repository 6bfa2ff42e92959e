// What a shell may put where the cursor is. packaging/penumbra.bash and packaging/_penumbra ask for
// it: `penumbra complete WORD...`, the words of the command line after the program's name up to the
// cursor; the last one is being typed and may be empty.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace penumbra::cli {

// Words as one argument each: bash takes --solver=nvi apart into three.
std::vector<std::string> joined_words(const std::vector<std::string>& words);

// Prints a line for each candidate: the word, a tab, what it means. Two lines leave it to the
// shell: ":files" with the endings that fit after the tab, none for all files, and ":folders".
// Nothing is compiled, loaded or opened for it.
void print_completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace penumbra::cli

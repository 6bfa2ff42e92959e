// Ctrl-C: the first asks a command to end with what it has, a later one ends the program at once.
#pragma once

namespace penumbra::cli {

// From here on the first SIGINT or SIGTERM sets a flag instead of ending the program.
void catch_interrupts();
bool interrupted();

}  // namespace penumbra::cli

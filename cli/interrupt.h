// Ctrl-C: the first asks a command to end with what it has, the second ends the program at once.
#pragma once

namespace penumbra::cli {

// From here on SIGINT and SIGTERM set a flag instead of ending the program.
void catch_interrupts();
bool interrupted();

}  // namespace penumbra::cli

// Signals. Ctrl-C: the first asks a command to end with what it has, a later one ends the program
// at once. SIGUSR1 asks for a checkpoint.
#pragma once

namespace penumbra::cli {

// From here on the first SIGINT or SIGTERM sets a flag instead of ending the program.
void catch_interrupts();
bool interrupted();

// From here on SIGUSR1 sets a flag instead of ending the program.
void catch_checkpoint_requests();
// Whether one came since the last call.
bool take_checkpoint_request();

}  // namespace penumbra::cli

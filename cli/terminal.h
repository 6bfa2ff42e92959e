// What the terminal at the end of a stream can show.
#pragma once

#include "cli/progress_block.h"

namespace penumbra::cli {

// Whether text there can be written over: a terminal that is not dumb.
bool is_terminal(int stream);
// The same, for a block of several lines with colours: NO_COLOR asks for plain lines.
bool takes_blocks(int stream);

// Size, characters and colours; of a stream that is no terminal 80 columns without colours.
BlockStyle style_of(int stream);

// Whether the locale of the environment is one of UTF-8. By its name: it need not be installed.
bool locale_is_utf8();

}  // namespace penumbra::cli

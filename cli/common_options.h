// Options that several commands share (runs/common_options.h), and what a job tells on a terminal.
#pragma once

#include <fmt/format.h>

#include "cli/flags.h"
#include "cli/interrupt.h"
#include "cli/trust.h"
#include "penumbra/runs/common_options.h"

namespace penumbra::cli {

// Notes and warnings go to stderr; signals end a job or ask for a checkpoint.
inline void report_to_terminal(const Flags& flags, CommonOptions& o) {
  o.team = &flags.team();
  o.tell = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  o.warn = [](const std::string& line) { fmt::print(stderr, "penumbra: warning: {}\n", line); };
  o.interrupted = interrupted;
  o.checkpoint_asked = take_checkpoint_request;
  o.may_run = is_named_or_trusted;
}

inline void declare_output(Flags& flags, CommonOptions& o) {
  report_to_terminal(flags, o);
  penumbra::declare_output(flags, o);
}

inline void declare_model(Flags& flags, CommonOptions& o) {
  report_to_terminal(flags, o);
  penumbra::declare_model(flags, o);
}

inline void declare_common(Flags& flags, CommonOptions& o) {
  report_to_terminal(flags, o);
  penumbra::declare_common(flags, o);
}

}  // namespace penumbra::cli

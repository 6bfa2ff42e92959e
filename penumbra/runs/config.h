// Configuration files (TOML): one table per command, one key per option, `[solve] time = "10m"`.
// Values come from, each above the one before: defaults, the file, the environment (PENUMBRA_TIME),
// the command line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "penumbra/runs/option_record.h"

namespace penumbra {

// Keys in the order of the file, values as they would be written on the command line.
using ConfigTable = std::vector<std::pair<std::string, std::string>>;

// The tables of all commands. Throws Error with file and line.
std::map<std::string, ConfigTable> read_config(const std::string& path);
std::map<std::string, ConfigTable> parse_config(const std::string& text, const std::string& name);

// A table as text; `options` says which values are numbers.
std::string write_config(const std::string& command, const ConfigTable& table,
                         const OptionRecord& options);

// Sets options from the environment: PENUMBRA_LOAD_MEMORY is load-memory.
void read_environment(const OptionRecord& options);

}  // namespace penumbra

// Compiled plug-ins are kept in ${XDG_CACHE_HOME:-~/.cache}/penumbra. What is in there is loaded as
// code, so nobody but the user may be able to write there.
#pragma once

#include <string>

namespace penumbra {

// The folder, made where it is not there. Throws Error where others could write into it.
std::string plugin_cache_folder();
// Throws Error where others could have written the file or the folder. `what` it is, for the
// message.
void check_only_ours(const std::string& path, const std::string& what);

// The name in the folder of what this source compiles to here and now.
std::string cached_plugin(const std::string& folder, const std::string& source);
// Whether it is there and nothing that the source includes has changed since.
bool is_up_to_date(const std::string& plugin);

}  // namespace penumbra

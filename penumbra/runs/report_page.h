// The page of a report, made of the files of web/ when the program is built (cmake/embed.cmake).
#pragma once

#include <string>

namespace penumbra {

// One self-contained page. `data` is JSON; nothing in it can end the script it stands in.
std::string report_page(const std::string& data);
// The same for a server: it asks data.json beside it for news (web/live.js).
std::string live_report_page(const std::string& data);

}  // namespace penumbra

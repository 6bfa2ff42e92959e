# Writes OUTPUT, a C++ source, from the files of web/: the page with its style and scripts in place.
#   cmake -DWEB=folder -DOUTPUT=file -P embed.cmake
# The order of the scripts: each uses only what stands before it, main.js begins.
set(SCRIPTS dom theme series chart results scenes alphas progress layout graph graph_view plan_tree player main)

# Compilers limit the length of a literal: one for each file, which they join.
set(BREAK ")_page_\"\n    R\"_page_(")

file(READ ${WEB}/report.html page)
file(READ ${WEB}/style.css style)
set(script "'use strict';\n(() => {\n")
foreach(name ${SCRIPTS})
  file(READ ${WEB}/${name}.js text)
  string(APPEND script "${text}${BREAK}")
endforeach()
string(APPEND script "})();\n")
foreach(part style script)
  string(FIND "${page}" "/*{${part}}*/" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "report.html has no place for ${part}")
  endif()
  string(REPLACE "/*{${part}}*/" "${BREAK}${${part}}${BREAK}" page "${page}")
endforeach()

# For pages that are served: beside the page, which loads nothing.
file(READ ${WEB}/live.js live)

file(WRITE ${OUTPUT} "// Made from web/ by cmake/embed.cmake.
#include \"penumbra/runs/report_page.h\"

namespace penumbra {
namespace {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \"-Woverlength-strings\"
constexpr char kPage[] =
    R\"_page_(${page})_page_\";
constexpr char kLive[] =
    R\"_page_(${live})_page_\";
#pragma GCC diagnostic pop
}  // namespace

std::string report_page(const std::string& data) {
  static constexpr char kPlace[] = \"/*{data}*/\";
  std::string page = kPage, safe;
  safe.reserve(data.size());
  for (char c : data)  // neither </script> nor <!-- can occur; the same JSON
    if (c == '<')
      safe += \"\\\\u003c\";
    else
      safe += c;
  return page.replace(page.find(kPlace), sizeof kPlace - 1, safe);
}

std::string live_report_page(const std::string& data) {
  return report_page(data) + \"<script>\" + kLive + \"</script>\\n\";
}

}  // namespace penumbra
")

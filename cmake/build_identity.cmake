# Writes OUTPUT, a C++ source with the commit that SOURCE is at; nothing where it is no checkout of
# its own. Run at every build: an unchanged file is left alone, so that nothing is compiled again.
#   cmake -DGIT=program -DSOURCE=folder -DOUTPUT=file -P build_identity.cmake
cmake_minimum_required(VERSION 3.25)
set(identity "")
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env GIT_OPTIONAL_LOCKS=0
      ${GIT} -C ${SOURCE} describe --always --dirty
    OUTPUT_VARIABLE identity OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(text "// Made by cmake/build_identity.cmake.
#include \"penumbra/runs/version.h\"

namespace penumbra {

const char* build_identity() {
  return \"${identity}\";
}

}  // namespace penumbra
")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUTPUT} "${text}")
endif()

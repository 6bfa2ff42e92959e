# How our own code is compiled; dependencies and users of the installed package are not touched.
add_library(penumbra_flags INTERFACE)
target_compile_options(penumbra_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wno-sign-compare)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overflows in vector::resize and in fmt that are not there, and undefined values in
  # its own vector intrinsics.
  target_compile_options(penumbra_flags INTERFACE -Wno-stringop-overflow -Wno-array-bounds
    -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
if(PENUMBRA_WERROR)
  target_compile_options(penumbra_flags INTERFACE -Werror)
endif()
if(PENUMBRA_NATIVE)
  # Everything with templates on vector types must agree on this flag, so it is global.
  add_compile_options(-march=native)
  # Highway 1.0 leaves its best target out unless asked, and then fails on processors that have it.
  add_compile_definitions(HWY_WANT_AVX3_DL)
endif()
if(PENUMBRA_SANITIZE)
  add_compile_options(-fsanitize=${PENUMBRA_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PENUMBRA_SANITIZE})
endif()

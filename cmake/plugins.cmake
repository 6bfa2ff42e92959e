# What programs need to know to compile and load models of others (penumbra/model/plugin.h).

# A plug-in fits a program that was made of the same headers: these, those of penumbra/penumbra.h.
set(CONTRACT_HEADERS penumbra.h base/error.h base/features.h base/rng.h base/spec.h model/adapt.h
  model/facts.h model/model.h model/padding.h model/plugin.h model/pomdp.h model/records.h
  model/scene.h model/tabular.h model/unsound.h)
set(PENUMBRA_CONTRACT "")
foreach(header ${CONTRACT_HEADERS})
  file(SHA256 ${PROJECT_SOURCE_DIR}/penumbra/${header} hash)
  string(APPEND PENUMBRA_CONTRACT "${header} ${hash}\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS penumbra/${header})
endforeach()
string(SHA256 PENUMBRA_CONTRACT "${PENUMBRA_CONTRACT}")
string(SUBSTRING ${PENUMBRA_CONTRACT} 0 16 PENUMBRA_CONTRACT)
# For projects that make plug-ins with CMake.
target_compile_definitions(penumbra INTERFACE
  $<INSTALL_INTERFACE:PENUMBRA_CONTRACT="${PENUMBRA_CONTRACT}">)

# As our own code: with -O2 a plug-in made 15 % fewer steps than the same model compiled in.
set(PLUGIN_FLAGS "-std=c++20 -O3 -fPIC -shared -fvisibility=hidden")
if(PENUMBRA_NATIVE)
  string(APPEND PLUGIN_FLAGS " -march=native")
endif()
if(NOT RANDOM123_INCLUDE IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  string(APPEND PLUGIN_FLAGS " -isystem ${RANDOM123_INCLUDE}")
endif()
set_source_files_properties(penumbra/runs/plugin_compiler.cpp PROPERTIES COMPILE_DEFINITIONS
  "PENUMBRA_CONTRACT=\"${PENUMBRA_CONTRACT}\";PENUMBRA_PLUGIN_FLAGS=\"${PLUGIN_FLAGS}\";PENUMBRA_SOURCE_FOLDER=\"${PROJECT_SOURCE_DIR}\";PENUMBRA_BUILD_FOLDER=\"${CMAKE_BINARY_DIR}\"")

# Lets plug-ins find in a program what they take from it.
function(can_load_plugins program)
  set(symbols ${PROJECT_SOURCE_DIR}/cmake/plugin_symbols.txt)
  target_link_options(${program} PRIVATE LINKER:--dynamic-list=${symbols})
  set_property(TARGET ${program} APPEND PROPERTY LINK_DEPENDS ${symbols})
endfunction()

# `cpack -G DEB`: the packages penumbra, libpenumbra-dev and python3-penumbra. ./run packages makes
# them for any processor; docs/install.md says how they are used.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME penumbra)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL program dev)
if(PENUMBRA_PYTHON_FOR_DEBIAN)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

# One changelog for all; its first line has the version: "penumbra (0.1.0-1) unstable; ...".
file(STRINGS packaging/changelog entry LIMIT_COUNT 1)
if(NOT entry MATCHES "^penumbra \\(${PROJECT_VERSION}-([0-9]+)\\)")
  message(FATAL_ERROR "packaging/changelog begins with \"${entry}\", not with ${PROJECT_VERSION}")
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE ${CMAKE_MATCH_1})
if(PENUMBRA_NATIVE)  # not for other machines, and seen by its name
  string(APPEND CPACK_DEBIAN_PACKAGE_RELEASE +native)
endif()
file(STRINGS packaging/changelog signature REGEX "^ -- " LIMIT_COUNT 1)
string(REGEX REPLACE "^ -- (.*>).*" "\\1" CPACK_DEBIAN_PACKAGE_MAINTAINER "${signature}")
set(SAME "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME penumbra)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# The last two compile models of one's own.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libpenumbra-dev ${SAME}, g++ | c++-compiler")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "python3-penumbra")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "planner for problems with partial observability
Penumbra turns a POMDP into a policy: one of its own problems, a file in the
formats .pomdp or .pomdpx, or a model of your own in C++. It has offline
solvers (neural value iteration, SARSOP, MCVI and others) and planners that
plan while they act; it scores policies by simulation, reports them as a page
and exports them for robots.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libpenumbra-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libfmt-dev, libhwy-dev, librandom123-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "penumbra ${SAME}, cmake")
set(CPACK_COMPONENT_DEV_DESCRIPTION "planner for problems with partial observability (development)
Headers, static libraries and CMake files of Penumbra: models, solvers,
planners and policies for programs in C++. The program penumbra compiles
models of your own with these headers.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-penumbra)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${PENUMBRA_PYTHON_FOR_DEBIAN}, python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "penumbra ${SAME}")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
  "${PROJECT_SOURCE_DIR}/packaging/postinst;${PROJECT_SOURCE_DIR}/packaging/prerm")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "planner for problems with partial observability (Python 3)
Penumbra from Python: models as classes over arrays, every solver, policies,
scores, pictures, and environments for learners.")

# What every package of Debian has in its folder of documents.
set(DOCS ${CMAKE_BINARY_DIR}/debian)
file(MAKE_DIRECTORY ${DOCS})
foreach(pair packaging/changelog=changelog.Debian CHANGELOG.md=changelog)
  string(REGEX MATCH "(.*)=(.*)" _ ${pair})
  configure_file(${CMAKE_MATCH_1} ${DOCS}/${CMAKE_MATCH_2} COPYONLY)
  execute_process(COMMAND gzip -9nfk ${DOCS}/${CMAKE_MATCH_2})
endforeach()
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(folder share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  install(FILES packaging/copyright ${DOCS}/changelog.Debian.gz ${DOCS}/changelog.gz
    DESTINATION ${folder} COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
# Notices of what is compiled in, as Debian has them.
foreach(library libcli11-dev libeigen3-dev libfmt-dev libhwy-dev nlohmann-json3-dev pybind11-dev
    librandom123-dev libtomlplusplus-dev)
  foreach(package penumbra=program libpenumbra-dev=dev python3-penumbra=python)
    string(REGEX MATCH "(.*)=(.*)" _ ${package})
    if(EXISTS /usr/share/doc/${library}/copyright)
      install(FILES /usr/share/doc/${library}/copyright RENAME ${library}.txt
        DESTINATION share/doc/${CMAKE_MATCH_1}/third-party
        COMPONENT ${CMAKE_MATCH_2} EXCLUDE_FROM_ALL)
    endif()
  endforeach()
endforeach()
install(FILES packaging/_penumbra DESTINATION share/zsh/vendor-completions
  COMPONENT program EXCLUDE_FROM_ALL)
# The pages that --help and messages name.
install(DIRECTORY docs/ DESTINATION share/doc/penumbra COMPONENT program EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN "*.md" PATTERN notes EXCLUDE PATTERN results EXCLUDE)
install(DIRECTORY examples/ DESTINATION share/doc/libpenumbra-dev/examples
  COMPONENT dev EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN "*.cpp" PATTERN project EXCLUDE PATTERN python EXCLUDE)
install(DIRECTORY examples/python/ DESTINATION share/doc/python3-penumbra/examples
  COMPONENT python EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.py" PATTERN "*.ipynb")
include(CPack)

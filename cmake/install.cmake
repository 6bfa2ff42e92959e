# `cmake --install` gives headers, archives, the program and a find_package(penumbra) configuration.
# Components are the packages of cmake/debian.cmake.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS penumbra penumbra_domains EXPORT penumbra-targets COMPONENT dev)
install(TARGETS penumbra_cli COMPONENT program)
if(TARGET penumbra_mpi)
  install(TARGETS penumbra_mpi COMPONENT mpi OPTIONAL)
endif()
install(DIRECTORY penumbra DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "penumbra/runs" EXCLUDE)
# "domains" is too common a name for /usr/include.
install(DIRECTORY domains yardsticks DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/penumbra-domains
  COMPONENT dev FILES_MATCHING PATTERN "*.h")
set(CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/penumbra)
install(EXPORT penumbra-targets NAMESPACE penumbra:: DESTINATION ${CONFIG_FOLDER} COMPONENT dev)
# In a folder where find_package does not look: what is only built cannot be linked to.
set(PACKAGE_FOLDER ${CMAKE_CURRENT_BINARY_DIR}/to_install)
configure_package_config_file(cmake/penumbra-config.cmake.in ${PACKAGE_FOLDER}/penumbra-config.cmake
  INSTALL_DESTINATION ${CONFIG_FOLDER})
write_basic_package_version_file(${PACKAGE_FOLDER}/penumbra-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PACKAGE_FOLDER}/penumbra-config.cmake
  ${PACKAGE_FOLDER}/penumbra-config-version.cmake
  DESTINATION ${CONFIG_FOLDER} COMPONENT dev)

include(cmake/manual.cmake)
if(PROJECT_IS_TOP_LEVEL)
  include(cmake/debian.cmake)
endif()

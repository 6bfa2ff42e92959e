# `cmake --install` gives headers, archives, the program and a find_package(penumbra) configuration.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS penumbra penumbra_domains EXPORT penumbra-targets)
install(TARGETS penumbra_cli)
install(DIRECTORY penumbra domains yardsticks DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(EXPORT penumbra-targets NAMESPACE penumbra::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/penumbra)
configure_package_config_file(cmake/penumbra-config.cmake.in penumbra-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/penumbra)
write_basic_package_version_file(penumbra-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/penumbra-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/penumbra-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/penumbra)

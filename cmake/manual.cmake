# Man pages, written by the program itself whenever it is linked (cli/manual.h), and completion.
set(MANUAL_FOLDER ${CMAKE_BINARY_DIR}/man)
find_program(GZIP gzip)
if(GZIP)
  set(PRESS_PAGES COMMAND sh -c "${GZIP} -9nf ${MANUAL_FOLDER}/*.1")
endif()
add_custom_command(TARGET penumbra_cli POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${MANUAL_FOLDER}
  COMMAND penumbra_cli manual ${MANUAL_FOLDER}
  ${PRESS_PAGES} VERBATIM)

install(DIRECTORY ${MANUAL_FOLDER}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES packaging/penumbra.bash RENAME penumbra COMPONENT program
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# Where zsh looks below /usr/local; packages have a folder of their own (cmake/debian.cmake).
install(FILES packaging/_penumbra COMPONENT local
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

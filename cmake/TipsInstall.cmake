# What `make install` puts where: headers, both libraries, the command, manual pages, completion, documentation, recipes,
# examples, tips.pc and the CMake package.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/tips DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS tips_static tips_shared tips_command EXPORT tipsTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(manual_pages)
  install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${completion_dir}/tips.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tips)
  install(FILES ${completion_dir}/tips.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _tips)
  install(FILES ${completion_dir}/tips.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY recipes DESTINATION ${CMAKE_INSTALL_DATADIR}/tips FILES_MATCHING PATTERN "*.yaml")

list(TRANSFORM tips_private_libraries PREPEND "-l" OUTPUT_VARIABLE private_flags)
list(JOIN private_flags " " TIPS_PRIVATE_LIBRARIES)
# Paths in tips.pc are relative to the file itself, so that `cmake --install --prefix` and moved trees work.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(TIPS_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(TIPS_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(TIPS_PC_PREFIX "\${pcfiledir}/${up}")
  set(TIPS_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(TIPS_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
else()
  set(TIPS_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/tips.pc.in tips.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tips.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tips)
install(EXPORT tipsTargets NAMESPACE tips:: DESTINATION ${package_dir})
configure_package_config_file(cmake/tipsConfig.cmake.in tipsConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(tipsConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tipsConfig.cmake ${PROJECT_BINARY_DIR}/tipsConfigVersion.cmake
  DESTINATION ${package_dir})

# Where programs look for the library is for whoever installs it to know; a tree below DESTDIR is somebody else's.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(installed_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
  set(installed_libdir "\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}")
endif()
install(CODE "if(\"\$ENV{DESTDIR}\" STREQUAL \"\")
  execute_process(COMMAND sh \"${PROJECT_SOURCE_DIR}/cmake/loader_hint.sh\" \"${installed_libdir}\")
endif()")

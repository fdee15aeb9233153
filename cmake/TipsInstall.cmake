# What `make install` puts where: headers, both libraries, the command, manual pages, tips.pc and the CMake package.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/tips DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS tips_static tips_shared tips_command EXPORT tipsTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

list(TRANSFORM tips_private_libraries PREPEND "-l" OUTPUT_VARIABLE private_flags)
list(JOIN private_flags " " TIPS_PRIVATE_LIBRARIES)
configure_file(cmake/tips.pc.in tips.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tips.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tips)
install(EXPORT tipsTargets NAMESPACE tips:: DESTINATION ${package_dir})
configure_package_config_file(cmake/tipsConfig.cmake.in tipsConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(tipsConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tipsConfig.cmake ${PROJECT_BINARY_DIR}/tipsConfigVersion.cmake
  DESTINATION ${package_dir})

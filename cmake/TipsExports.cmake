# libtips.so exports what include/tips declares with TIPS_API, and nothing else: all is hidden unless it is declared so, and where the
# linker takes a version script, a list made from the headers keeps even what other compilers' runtimes and levels define within.
include(CheckCSourceCompiles)
file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/probe.map "{ local: *; };\n")
set(CMAKE_REQUIRED_LINK_OPTIONS "LINKER:--version-script=${PROJECT_BINARY_DIR}/CMakeFiles/probe.map")
check_c_source_compiles("int main(void) { return 0; }" TIPS_LINKER_TAKES_VERSION_SCRIPT)
unset(CMAKE_REQUIRED_LINK_OPTIONS)

foreach(objects IN LISTS object_targets)
  set_target_properties(${objects} PROPERTIES C_VISIBILITY_PRESET hidden)
endforeach()

# tips_limit_exports(LIBRARY)
function(tips_limit_exports library)
  if(NOT TIPS_LINKER_TAKES_VERSION_SCRIPT)
    return()
  endif()
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/tips/*.h)
  set(map ${PROJECT_BINARY_DIR}/exports.map)
  add_custom_command(OUTPUT ${map}
    COMMAND ${CMAKE_COMMAND} -DMAP=${map} "-DHEADERS=${headers}" -P ${PROJECT_SOURCE_DIR}/cmake/exports.cmake
    DEPENDS ${headers} cmake/exports.cmake
    COMMENT "Listing what libtips.so exports" VERBATIM)
  add_custom_target(tips_exports DEPENDS ${map})
  add_dependencies(${library} tips_exports)
  target_link_options(${library} PRIVATE "LINKER:--version-script=${map}")
  set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()

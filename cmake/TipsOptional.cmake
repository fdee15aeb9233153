# Libraries that tips does without. -DTIPS_WITH_PNG=OFF ignores one though it is there, -DTIPS_MINIMAL=ON all of them.
option(TIPS_MINIMAL "Build without any of the optional libraries" OFF)

# tips_optional(PNG libpng): asks pkg-config and sets PNG_FOUND.
macro(tips_optional name module)
  option(TIPS_WITH_${name} "Use ${module} where it is there" ON)
  if(TIPS_WITH_${name} AND NOT TIPS_MINIMAL)
    pkg_check_modules(${name} IMPORTED_TARGET ${module})
  else()
    set(${name}_FOUND 0)
  endif()
endmacro()

# tips_tell_sources(NAMES SOURCES...): of the libraries that were found, each source learns those it asks for, TIPS_HAVE_<name>, and no source is
# compiled anew for another's sake: one build directory can do without one library after the other (tools/without.sh). CMake has to run again
# where a file that was there before begins to ask.
function(tips_tell_sources names)
  list(REMOVE_ITEM ARGN ${ONNX_SOURCE})
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} questions REGEX "TIPS_HAVE_")
    foreach(name IN LISTS names)
      if(questions MATCHES "TIPS_HAVE_${name}" OR (name STREQUAL ONNX AND source MATCHES "/onnx_[a-z_]*\\.c$"))
        set(flags ${${name}_CFLAGS})
        list(TRANSFORM flags REPLACE "^-I" "-isystem")
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS TIPS_HAVE_${name})
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${flags})
      endif()
    endforeach()
  endforeach()
endfunction()

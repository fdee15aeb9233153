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

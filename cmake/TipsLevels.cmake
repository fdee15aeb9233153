# Kernels for every level of the processor, in one library. The rooms below are compiled once for each level, by its
# flags and for its channel block; everything else is compiled once, for the plainest processor. Where there are several
# levels, cmake/levels.sh renames what each defines, and src/core/level.c chooses among them when the program starts.
set(kernel_rooms tensor engine layer pool norm net optimizer)

set(block_baseline 8)
set(block_avx2 8)
set(flags_avx2 -mavx2 -mfma)
set(block_avx512 16)
set(flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl ${flags_avx2} -mprefer-vector-width=512)
set(block_neon 8)
set(block_generic 8)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(known_levels baseline avx2 avx512) # from the lowest
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  set(known_levels neon)
else()
  set(known_levels generic)
endif()
set(default_levels ${known_levels})
if((TIPS_SANITIZE OR TIPS_FUZZ) AND "avx2" IN_LIST known_levels)
  set(default_levels avx2)
endif()
set(TIPS_LEVELS "${default_levels}" CACHE STRING "Levels of the processor to compile kernels for: some of ${known_levels}")

string(REPLACE "," ";" asked_levels "${TIPS_LEVELS}")
foreach(level IN LISTS asked_levels)
  if(NOT level IN_LIST known_levels)
    list(JOIN known_levels ", " choices)
    message(FATAL_ERROR "TIPS_LEVELS names '${level}'; here it takes a list of ${choices}")
  endif()
endforeach()
foreach(level IN LISTS known_levels)
  if(level IN_LIST asked_levels)
    list(APPEND levels ${level})
    list(APPEND level_rows "{\"${level}\", ${block_${level}}}")
  endif()
endforeach()
if(NOT levels)
  message(FATAL_ERROR "TIPS_LEVELS is empty; it takes a list of ${known_levels}")
endif()
list(LENGTH levels level_count)
list(JOIN level_rows ", " level_rows)
set_source_files_properties(src/core/level.c PROPERTIES COMPILE_DEFINITIONS
  "TIPS_LEVEL_ROWS=${level_rows};TIPS_LEVEL_COUNT=${level_count}")

list(JOIN kernel_rooms "|" room_pattern)
set(kernel_sources ${library_sources})
list(FILTER kernel_sources INCLUDE REGEX "/src/(${room_pattern})/[^/]*$")
list(FILTER library_sources EXCLUDE REGEX "/src/(${room_pattern})/[^/]*$")
if(level_count EQUAL 1)
  list(FILTER library_sources EXCLUDE REGEX "/src/core/level_start\\.c$") # nothing to choose among
endif()

# tips_compile_for(TARGET LEVEL): with the flags and the block of a level.
function(tips_compile_for target level)
  target_compile_options(${target} PRIVATE ${flags_${level}})
  target_compile_definitions(${target} PRIVATE TIPS_BLOCK=${block_${level}})
endfunction()

foreach(level IN LISTS levels)
  add_library(tips_kernels_${level} OBJECT ${kernel_sources})
  tips_compile_for(tips_kernels_${level} ${level})
  list(APPEND object_targets tips_kernels_${level})
  if(level_count GREATER 1)
    # What has a name of its own in each level is renamed after compilation.
    target_compile_definitions(tips_kernels_${level} PRIVATE TIPS_LEVEL=${level})
    target_compile_options(tips_kernels_${level} PRIVATE -fno-lto)
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/levels/${level}.list
      CONTENT "$<JOIN:$<TARGET_OBJECTS:tips_kernels_${level}>,\n>\n")
    list(APPEND level_objects ${PROJECT_BINARY_DIR}/levels/kernels_${level}.o)
    list(APPEND level_inputs $<TARGET_OBJECTS:tips_kernels_${level}> ${PROJECT_BINARY_DIR}/levels/${level}.list)
  endif()
endforeach()

if(level_count GREATER 1)
  enable_language(ASM)
  list(JOIN levels " " level_names)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/levels/levels CONTENT "${level_names}\n")
  set(trampolines ${PROJECT_BINARY_DIR}/levels/trampolines.S)
  add_custom_command(OUTPUT ${trampolines} ${level_objects}
    COMMAND ${CMAKE_COMMAND} -E env LD=${CMAKE_LINKER} NM=${CMAKE_NM} OBJCOPY=${CMAKE_OBJCOPY}
      sh ${PROJECT_SOURCE_DIR}/cmake/levels.sh ${PROJECT_BINARY_DIR}/levels
    DEPENDS cmake/levels.sh ${PROJECT_BINARY_DIR}/levels/levels ${level_inputs}
    COMMENT "Joining the kernels of ${levels}" VERBATIM COMMAND_EXPAND_LISTS)
  add_library(tips_trampolines OBJECT ${trampolines})
  set_target_properties(tips_trampolines PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set(kernel_objects $<TARGET_OBJECTS:tips_trampolines> ${level_objects})
  set_source_files_properties(${level_objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  # The level's objects come from the same command as the trampolines, which both libraries wait for.
  add_custom_target(tips_levels DEPENDS ${trampolines} ${level_objects})
  add_dependencies(tips_trampolines tips_levels)
else()
  set(kernel_objects $<TARGET_OBJECTS:tips_kernels_${levels}>)
endif()

# The manual pages, printed by the command itself from its option tables: tips.1 and one page per line of cli/commands.def. A command for
# another processor is run by the emulator of the toolchain; where there is none, the manual and the scripts below are left out.
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "no emulator runs the command here: the manual and completion scripts are left out")
  return()
endif()
set(print_by_command ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:tips_command>)

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cli/commands.def)
file(STRINGS cli/commands.def command_lines REGEX "^CLI_COMMAND\\(")

set(manual_dir ${PROJECT_BINARY_DIR}/man)
set(manual_pages)
file(MAKE_DIRECTORY ${manual_dir})

function(tips_manual_page page)
  add_custom_command(
    OUTPUT ${manual_dir}/${page}
    COMMAND ${print_by_command} help --man ${ARGN} > ${manual_dir}/${page}
    DEPENDS tips_command
    COMMENT "Writing man/${page}"
    VERBATIM)
  set(manual_pages ${manual_pages} ${manual_dir}/${page} PARENT_SCOPE)
endfunction()

tips_manual_page(tips.1)
foreach(line IN LISTS command_lines)
  string(REGEX REPLACE "^CLI_COMMAND\\(cli_([a-z]+).*" "\\1" command "${line}")
  tips_manual_page(tips-${command}.1 ${command})
endforeach()
add_custom_target(manual ALL DEPENDS ${manual_pages})

# Scripts that complete command lines, printed by the command likewise.
set(completion_dir ${PROJECT_BINARY_DIR}/completion)
file(MAKE_DIRECTORY ${completion_dir})
foreach(shell IN ITEMS bash zsh fish)
  add_custom_command(
    OUTPUT ${completion_dir}/tips.${shell}
    COMMAND ${print_by_command} completion ${shell} > ${completion_dir}/tips.${shell}
    DEPENDS tips_command
    COMMENT "Writing completion/tips.${shell}"
    VERBATIM)
  list(APPEND completion_scripts ${completion_dir}/tips.${shell})
endforeach()
add_custom_target(completion ALL DEPENDS ${completion_scripts})

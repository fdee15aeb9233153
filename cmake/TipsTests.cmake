# Tests lie in the rooms they test: every tests/ROOM/test_*.c is one cmocka program, every test_*.sh and test_*.py one test. The
# room is a label (ctest -L verify); those of test_full_* is "full" besides. A test that includes tensor/vec.h is compiled as kernels
# are: once for each level, and run at it (ctest -R test_tensor_avx2).
find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# The command as scripts call it. One for another processor is behind a script of the same name that runs it by the toolchain's emulator.
set(command_to_test $<TARGET_FILE:tips_command>)
if(CMAKE_CROSSCOMPILING_EMULATOR)
  list(JOIN CMAKE_CROSSCOMPILING_EMULATOR "' '" emulator)
  set(command_to_test ${PROJECT_BINARY_DIR}/emulated/tips)
  file(GENERATE OUTPUT ${command_to_test} CONTENT "#!/bin/sh\nexec '${emulator}' '$<TARGET_FILE:tips_command>' \"$@\"\n"
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endif()

list(JOIN found_libraries " " test_libraries)
set(test_environment
  "TIPS=${command_to_test}"
  "TIPS_LIBRARIES=${test_libraries}"
  "SOURCE_DIR=${PROJECT_SOURCE_DIR}"
  "BUILD_DIR=${PROJECT_BINARY_DIR}"
  "CC=${CMAKE_C_COMPILER}"
  "OMP_WAIT_POLICY=passive") # threads that spin starve each other where tests run side by side
if(TIPS_SANITIZE)
  list(APPEND test_environment
    "ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1"
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tools/leaks.supp:print_suppressions=0"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TIPS_TEST_BRIEF=1") # tests/support/brief.h
endif()

function(tips_room_of room file)
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  set(${room} ${name} PARENT_SCOPE)
endfunction()

function(tips_register_test name room)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${test_environment}" SKIP_RETURN_CODE 77)
  set(seconds 600)
  if(name MATCHES "^test_full_" OR CMAKE_CROSSCOMPILING_EMULATOR) # which takes twenty times as long
    set(seconds 7200)
  endif()
  if(name MATCHES "^test_full_")
    list(APPEND room full)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${room}" TIMEOUT ${seconds})
endfunction()

file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c)
if(support_sources)
  add_library(tips_test_support STATIC ${support_sources})
  target_link_libraries(tips_test_support PUBLIC tips_static tips_flags PkgConfig::CMOCKA)
  target_include_directories(tips_test_support PUBLIC src tests)
  if(ONNX_FOUND)
    target_include_directories(tips_test_support SYSTEM PUBLIC ${ONNX_INCLUDE})
    target_compile_definitions(tips_test_support PUBLIC TIPS_HAVE_ONNX)
  endif()
endif()

# A function __wrap_NAME of a test stands in for NAME of the library, which the test calls as __real_NAME.
function(tips_wrap_functions target source)
  file(STRINGS ${source} definitions REGEX "^[a-z].* __wrap_[a-z_0-9]+\\(.*{$")
  foreach(definition IN LISTS definitions)
    string(REGEX REPLACE ".* __wrap_([a-z_0-9]+)\\(.*" "\\1" name "${definition}")
    target_link_options(${target} PRIVATE "LINKER:--wrap=${name}")
  endforeach()
endfunction()

file(GLOB test_programs CONFIGURE_DEPENDS tests/*/test_*.c)
function(tips_test_program name source)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE tips_cli tips_static tips_flags PkgConfig::CMOCKA OpenMP::OpenMP_C)
  target_include_directories(${name} PRIVATE src tests)
  if(support_sources)
    target_link_libraries(${name} PRIVATE tips_test_support)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  tips_wrap_functions(${name} ${source})
endfunction()

foreach(source IN LISTS test_programs)
  get_filename_component(name ${source} NAME_WE)
  tips_room_of(room ${source})
  file(STRINGS ${source} vectors REGEX "#include \"tensor/vec.h\"")
  if(NOT vectors)
    tips_test_program(${name} ${source})
    tips_register_test(${name} ${room} ${name})
    continue()
  endif()
  foreach(level IN LISTS levels)
    tips_test_program(${name}_${level} ${source})
    tips_compile_for(${name}_${level} ${level})
    tips_register_test(${name}_${level} ${room} sh ${PROJECT_SOURCE_DIR}/tests/support/at_level.sh ${level}
      ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${name}_${level}>)
  endforeach()
endforeach()

# Programs that test scripts call, in the folder tests of the build.
file(GLOB test_tools CONFIGURE_DEPENDS tests/tools/*.c)
foreach(source IN LISTS test_tools)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE tips_test_support)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endforeach()

find_package(Python3 QUIET COMPONENTS Interpreter)
file(GLOB test_scripts CONFIGURE_DEPENDS tests/*/test_*.sh tests/*/test_*.py)
foreach(script IN LISTS test_scripts)
  get_filename_component(name ${script} NAME_WE)
  tips_room_of(room ${script})
  if(script MATCHES "\\.sh$")
    tips_register_test(${name} ${room} sh ${script})
  elseif(Python3_Interpreter_FOUND)
    tips_register_test(${name} ${room} ${Python3_EXECUTABLE} ${script})
  else()
    tips_register_test(${name} ${room} sh ${PROJECT_SOURCE_DIR}/tests/support/lack.sh "there is no python3")
  endif()
endforeach()

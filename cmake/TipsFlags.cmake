# How our own sources are compiled: the interface target tips_flags.
add_library(tips_flags INTERFACE)

# Results must not depend on reassociation, so no fast-math; the two -fno-* below change no value.
target_compile_options(tips_flags INTERFACE
  -fno-math-errno -fno-trapping-math -ffp-contract=off
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wvla -Wno-psabi)
if(TIPS_WERROR)
  target_compile_options(tips_flags INTERFACE -Werror)
endif()

target_compile_definitions(tips_flags INTERFACE _GNU_SOURCE)

if(TIPS_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "TIPS_FUZZ needs clang: -DCMAKE_C_COMPILER=clang")
  endif()
  set(fuzz_options -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  target_compile_options(tips_flags INTERFACE ${fuzz_options})
  target_link_options(tips_flags INTERFACE ${fuzz_options})
endif()

if(TIPS_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_compile_options(tips_flags INTERFACE ${sanitizers})
  target_link_options(tips_flags INTERFACE ${sanitizers})
endif()

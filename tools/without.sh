#!/bin/sh
# without.sh BUILD: each optional library left out alone, in a build directory that is there and has them. The command and libtips.so are
# linked anew, which shows what only the library would have had; cmake/TipsOptional.cmake sees to it that little is compiled anew.
# Afterwards BUILD has what it had.
set -eu
build=$1
here=$(cd "$(dirname "$0")/.." && pwd)
names=$(sed -n 's/^tips_optional(\([A-Z]*\) .*/\1/p' "$here/CMakeLists.txt")
[ -n "$names" ] || { echo "without: no optional libraries are named in CMakeLists.txt" >&2; exit 1; }
flags=$(sed -n 's/^CMAKE_SHARED_LINKER_FLAGS:[A-Z]*=//p' "$build/CMakeCache.txt")

configured() { cmake "$@" "$build" >"$build/without.log" || { cat "$build/without.log"; exit 1; }; }

# Undefined names are an error in the shared library too.
for name in $names; do
    configured "-DTIPS_WITH_$name=OFF" "-DCMAKE_SHARED_LINKER_FLAGS=$flags -Wl,--no-undefined"
    grep -q 'tips is built without' "$build/without.log" || { echo "without: $name is still there" >&2; exit 1; }
    echo "without $name"
    cmake --build "$build" --target tips_command tips_shared --parallel "${JOBS:-2}" >"$build/without.log" ||
        { cat "$build/without.log"; exit 1; }
    "$build/tips" --version >/dev/null
    configured "-DTIPS_WITH_$name=ON" "-DCMAKE_SHARED_LINKER_FLAGS=$flags"
done
rm -f "$build/without.log"

#!/bin/sh
# The library for 64-bit ARM (cmake/arm64.cmake), without a warning. Where the libraries are there for ARM64, as foreign packages or below
# TIPS_ARM64_ROOT, everything is built, and where qemu-user is there too, some tests run. Else the library is compiled, which
# takes the headers of others alone. Objects are kept in the build folder for the next time.
set -eu
cd "${SOURCE_DIR:?the source directory}"
build=${BUILD_DIR:?the build directory}/arm64
root=${TIPS_ARM64_ROOT:-}
skip() { echo "skipped: $*"; exit 77; }
command -v aarch64-linux-gnu-gcc >/dev/null || skip "there is no aarch64-linux-gnu-gcc"

has_libraries() {
    for name in dnnl yajl cmocka; do
        [ -e "$root/usr/lib/aarch64-linux-gnu/lib$name.so" ] || return 1
    done
}
configure() {
    env -u CC cmake -S . -B "$build" -DCMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake -DTIPS_WERROR=ON "$@" >"$build/log" ||
        { cat "$build/log"; exit 1; }
}
compile() { cmake --build "$build" --parallel 2 "$@" >"$build/log" 2>&1 || { grep -A 5 "error" "$build/log" || cat "$build/log"; exit 1; }; }

if ! has_libraries; then
    build=$build-library headers=$build/headers
    mkdir -p "$headers"
    for header in dnnl.h yajl; do
        [ -e "/usr/include/$header" ] || skip "there is no $header in /usr/include"
    done
    ln -sf /usr/include/dnnl*.h /usr/include/oneapi /usr/include/yajl "$headers"
    printf 'Name: yajl\nDescription: headers\nVersion: 2\nCflags: -I%s/yajl\n' "$headers" >"$headers/yajl.pc"
    PKG_CONFIG_PATH=$headers configure -DTIPS_MINIMAL=ON -DBUILD_TESTING=OFF \
        -DOneDNN_INCLUDE_DIR="$headers" -DOneDNN_LIBRARY="$headers/none"
    compile --target tips_static
    echo "the library compiles; without the libraries it needs for ARM64, nothing was run"
    exit 0
fi

mkdir -p "$build"
configure ${root:+-DCMAKE_SYSROOT="$root"}
compile
if ! grep -q '^TIPS_QEMU:.*=.*qemu-aarch64' "$build/CMakeCache.txt"; then
    echo "everything builds; without qemu-aarch64, nothing was run"
    exit 0
fi
"$build/emulated/tips" --version | grep 'kernels: neon'
"$build/emulated/tips" verify --pool tips-exact --arch resnet18 --width 8 --size 32 --shifts 32 --quiet
cd "$build"
ctest -j 2 --output-on-failure --no-tests=error -LE 'full|house' -L '^(core|tensor|engine|layer|pool|norm|optimizer|net)$'

#!/bin/sh
# Installs what is missing: `deps.sh build` for building and testing, `deps.sh bench` for comparing with PyTorch too.
# Where there is no apt it names the packages, and fails only if something essential is not there.
set -eu

have() { command -v "$1" >/dev/null 2>&1; }

# Missing programs and packages, as Debian names.
missing_tools() {
    have cc || echo gcc
    have cmake || echo cmake
    have make || echo make
    have ninja || echo ninja-build
    have pkg-config || echo pkg-config
}

missing_packages() {
    dpkg-query -W -f '${binary:Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
        awk -v wanted="$*" '
            $2 == "installed" { sub(/:.*/, "", $1); there[$1] = 1 }
            END { n = split(wanted, name, " "); for (i = 1; i <= n; i++) if (!(name[i] in there)) print name[i] }'
}

jpeg_package() {
    if grep -qi '^ID=.*ubuntu' /etc/os-release 2>/dev/null; then echo libjpeg-turbo8-dev; else echo libjpeg62-turbo-dev; fi
}

# A module counts as there if its package is installed or if python3 finds it elsewhere.
missing_python() {
    for package in $(missing_packages python3-numpy python3-torch); do
        python3 -c "import importlib.util as u, sys; sys.exit(not u.find_spec('${package#python3-}'))" 2>/dev/null ||
            echo "$package"
    done
}

missing_on_debian() {
    missing_tools
    missing_packages libdnnl-dev libyajl-dev libcmocka-dev libyaml-dev libpng-dev "$(jpeg_package)" \
        zlib1g-dev libarchive-dev libcurl4-openssl-dev libcairo2-dev libonnx-dev protobuf-c-compiler libprotobuf-c-dev \
        dataset-fashion-mnist
    if [ "$1" = bench ]; then missing_python; fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif have sudo; then sudo "$@"
    else
        echo "deps: not root and no sudo; cannot run: $*" >&2
        return 1
    fi
}

install_on_debian() {
    wanted=$(missing_on_debian "$1" | tr '\n' ' ')
    if [ -z "$wanted" ]; then return 0; fi
    echo "deps: installing $wanted"
    # shellcheck disable=SC2086 # the names are words
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $wanted
}

# Compiles nothing: asks the preprocessor for the header, with the flags pkg-config knows.
has_header() {
    flags=$(pkg-config --cflags "$2" 2>/dev/null || true)
    # shellcheck disable=SC2086
    printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <%s>\n' "$1" |
        cc $flags -E - >/dev/null 2>&1
}

missing_essentials() {
    have cc || echo "a C compiler"
    have cmake || echo cmake
    have make || echo make
    have pkg-config || echo pkg-config
    has_header dnnl.h dnnl || echo "oneDNN (dnnl.h)"
    has_header yajl/yajl_gen.h yajl || has_header yajl_gen.h yajl || echo "yajl (yajl_gen.h)"
    has_header cmocka.h cmocka || echo "cmocka (cmocka.h)"
}

name_packages() {
    if have dnf; then
        echo "deps: dnf install gcc cmake make ninja-build pkgconf onednn-devel yajl-devel libcmocka-devel libyaml-devel libpng-devel libjpeg-turbo-devel" \
            "zlib-devel libarchive-devel libcurl-devel cairo-devel onnx-devel protobuf-c-compiler protobuf-c-devel"
    elif have pacman; then
        echo "deps: pacman -S gcc cmake make ninja pkgconf onednn yajl cmocka libyaml libpng libjpeg-turbo zlib libarchive curl cairo onnx protobuf-c"
    elif have brew; then
        echo "deps: brew install cmake ninja pkg-config libomp onednn yajl cmocka libyaml libpng jpeg-turbo zlib libarchive curl cairo onnx protobuf-c"
    else
        echo "deps: needed are a C compiler, cmake, make, pkg-config, oneDNN, yajl and cmocka;" \
            "libyaml, libpng, libjpeg, zlib, libarchive, libcurl, cairo, protobuf-c with protoc-c, onnx.proto and ninja if there"
    fi
    if [ "$1" = bench ]; then echo "deps: and python3 with numpy and torch, to compare with"; fi
}

kind=${1:-build}
case $kind in
build | bench) ;;
*)
    echo "usage: deps.sh [build|bench]" >&2
    exit 2
    ;;
esac

if have apt-get && have dpkg-query; then
    if install_on_debian "$kind"; then exit 0; fi
    echo "deps: installing failed; going on with what is there" >&2
fi

lacking=$(missing_essentials)
if [ -z "$lacking" ]; then exit 0; fi
echo "deps: not found:" >&2
echo "$lacking" | sed 's/^/  /' >&2
name_packages "$kind" >&2
exit 1

#!/bin/sh
# Installs what is missing for building and testing (`deps.sh build`), and besides for comparing speed with PyTorch and
# ONNX Runtime (`bench`), for the tests against PyTorch, ONNX and ONNX Runtime (`peers`), for a second compiler (`clang`), for the newest
# gcc and clang that are to be had (`newest`, tools/newest_compiler.sh). Several at once: `deps.sh peers clang`.
# Where it cannot install it names the packages, and fails only if something essential is not there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
peer_modules="numpy torch torchvision onnx"
bench_modules="numpy torch torchvision"

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

wants() { case " $kinds " in *" $1 "*) ;; *) return 1 ;; esac; }

# Whether one python3 has all of these modules: the first in the path, or the one that Debian's packages serve.
python_has() {
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, sys.argv[1:])))' "$@" \
            2>/dev/null && return 0
    done
    return 1
}

missing_python() {
    # shellcheck disable=SC2046 # the names are words
    python_has "$@" || missing_packages $(printf 'python3-%s ' "$@")
}

missing_bench() {
    # shellcheck disable=SC2086
    missing_python $bench_modules
    have node || echo nodejs
    have npm || echo npm
}

missing_peers() {
    # shellcheck disable=SC2086
    missing_python $peer_modules
    have node || echo nodejs
    have npm || echo npm
}

clang_sanitizes() {
    program=$(mktemp)
    there=0
    echo 'int main(void) { return 0; }' | clang -fsanitize=address,undefined -x c - -o "$program" 2>/dev/null || there=1
    rm -f "$program"
    return $there
}

# The package of clang's sanitizers bears its version, which is known once clang is there.
missing_clang() {
    have clang || echo clang
    missing_packages libomp-dev
    if have clang && ! clang_sanitizes; then echo "libclang-rt-$(clang -dumpversion | cut -d . -f 1)-dev"; fi
}

# OpenMP for one clang excludes that for another.
missing_newest() {
    gcc=$("$here/newest_compiler.sh" gcc) clang=$("$here/newest_compiler.sh" clang)
    missing_packages "$gcc" "$clang" "$(echo "$clang" | sed 's/^clang/libomp/')-dev"
}

missing_on_debian() {
    missing_tools
    missing_packages libdnnl-dev libyajl-dev libcmocka-dev libyaml-dev libpng-dev "$(jpeg_package)" libwebp-dev libtiff-dev \
        zlib1g-dev libarchive-dev libcurl4-openssl-dev libexpat1-dev libcairo2-dev libonnx-dev protobuf-c-compiler libprotobuf-c-dev \
        dataset-fashion-mnist
    if wants bench; then missing_bench; fi
    if wants peers; then missing_peers; fi
    if wants clang; then missing_clang; fi
    if wants newest; then missing_newest; fi
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

apt_get() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q "$@"; }

install_on_debian() {
    wanted=$(missing_on_debian | tr '\n' ' ')
    if [ -z "$wanted" ]; then return 0; fi
    if [ "$(id -u)" != 0 ] && ! have sudo; then
        echo "deps: neither root nor sudo; these packages are to be installed: $wanted" >&2
        return 1
    fi
    echo "deps: installing $wanted"
    # shellcheck disable=SC2086 # the names are words
    apt_get update && apt_get install -y --no-install-recommends $wanted
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
    if wants peers; then
        # shellcheck disable=SC2086
        python_has $peer_modules || echo "one python3 that has all of $peer_modules"
        have node || echo node
        have npm || echo npm
    fi
    if wants bench; then
        # shellcheck disable=SC2086
        python_has $bench_modules || echo "one python3 that has all of $bench_modules"
        have node || echo node
        have npm || echo npm
    fi
    if wants clang && ! { have clang && clang_sanitizes; }; then echo "clang and its sanitizers"; fi
}

name_packages() {
    if have dnf; then
        echo "deps: dnf install gcc cmake make ninja-build pkgconf onednn-devel yajl-devel libcmocka-devel libyaml-devel libpng-devel libjpeg-turbo-devel" \
            "libwebp-devel libtiff-devel zlib-devel libarchive-devel libcurl-devel expat-devel cairo-devel onnx-devel protobuf-c-compiler protobuf-c-devel"
    elif have pacman; then
        echo "deps: pacman -S gcc cmake make ninja pkgconf onednn yajl cmocka libyaml libpng libjpeg-turbo libwebp libtiff zlib libarchive curl expat cairo onnx protobuf-c"
    elif have brew; then
        echo "deps: brew install cmake ninja pkg-config libomp onednn yajl cmocka libyaml libpng jpeg-turbo webp libtiff zlib libarchive curl expat cairo onnx protobuf-c"
    else
        echo "deps: needed are a C compiler, cmake, make, pkg-config, oneDNN, yajl and cmocka;" \
            "libyaml, libpng, libjpeg, libwebp, libtiff, zlib, libarchive, libcurl, expat, cairo, protobuf-c with protoc-c, onnx.proto and ninja if there"
    fi
    if wants bench; then echo "deps: and python3 with $bench_modules, node and npm, to compare with"; fi
    if wants peers; then echo "deps: and python3 with $peer_modules, node and npm, to test against"; fi
    if wants clang; then echo "deps: and clang with libomp and compiler-rt"; fi
}

kinds=${*:-build}
for kind in $kinds; do
    case $kind in
    build | bench | peers | clang | newest) ;;
    *)
        echo "usage: deps.sh [build|bench|peers|clang|newest]..." >&2
        exit 2
        ;;
    esac
done

if have apt-get && have dpkg-query; then
    if install_on_debian && install_on_debian; then exit 0; fi # the second time for what the first made known
    echo "deps: installing failed; going on with what is there" >&2
fi

lacking=$(missing_essentials)
if [ -z "$lacking" ]; then exit 0; fi
echo "deps: not found:" >&2
echo "$lacking" | sed 's/^/  /' >&2
name_packages >&2
exit 1

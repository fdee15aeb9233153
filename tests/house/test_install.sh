#!/bin/sh
# Uses tips as installed: pkg-config and CMake find it, from C and C++, and the manual pages are there.
set -eu
build=${BUILD_DIR:?the build directory}
cc=${CC:-cc}
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
if grep -q '^TIPS_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then
    echo "a library with sanitizers needs a program with sanitizers: skipped"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

fail() {
    echo "$*"
    exit 1
}

# The tutorial in tips.h is the first example.
sed 1d examples/01_verify.c >"$work/example"
sed -n '/^ \*     #include/,/^ \*     }$/p' include/tips/tips.h | sed 's/^ \* \{0,5\}//' >"$work/tutorial"
diff "$work/example" "$work/tutorial" || fail "the tutorial in include/tips/tips.h is not examples/01_verify.c"

# What make install does, among files of others.
mkdir -p "$prefix/lib" "$prefix/share/doc/other"
echo mine >"$prefix/lib/libother.so"
installed() { tools/installed.sh "$1" "$build" "${2-}" "$prefix"; }
(cd "$prefix" && find . | LC_ALL=C sort) >"$work/before"
installed before
env -u DESTDIR cmake --install "$build" --prefix "$prefix" >"$work/log" || { cat "$work/log"; exit 1; }
installed after
package=$(dirname "$(find "$prefix" -name tips.pc)")
libraries=$(dirname "$package")
grep -q "^The loader does not look into $libraries\. .*-Wl,-rpath,$libraries or .*LD_LIBRARY_PATH=$libraries" "$work/log" ||
    fail "it is not said how programs find the library: $(cat "$work/log")"
export PKG_CONFIG_PATH="$package" LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# Documentation, recipes and completion where packages put them, and help that leads there.
for file in doc/tips/README.md doc/tips/LICENSE doc/tips/CHANGELOG.md doc/tips/docs/eval.md doc/tips/docs/pools/tips.md \
    doc/tips/docs/decisions/README.md doc/tips/docs/images/verify.svg doc/tips/examples/01_verify.c doc/tips/examples/Makefile \
    tips/recipes/fashion-small.yaml bash-completion/completions/tips zsh/site-functions/_tips \
    fish/vendor_completions.d/tips.fish man/man1/tips-completion.1; do
    [ -s "$prefix/share/$file" ] || fail "share/$file is not installed"
done
for page in $("$prefix/bin/tips" help eval | grep -o '[^ ]*docs/[a-z]*\.md') \
    $("$prefix/bin/tips" help train | grep -o '[^ ]*recipes/[a-z0-9-]*\.yaml') \
    $("$prefix/bin/tips" help compare | grep -o '[^ ]*recipes/[a-z0-9-]*\.yaml'); do
    case $page in "$(cd "$prefix" && pwd -P)"/*) ;; *) fail "help leads to $page" ;; esac
    [ -f "$page" ] || fail "help leads to $page, which is not there"
done
grep -q '/share/tips/recipes/fashion' "$prefix/share/man/man1/tips-train.1" || fail "the manual does not say where recipes are"
diff -r docs "$prefix/share/doc/tips/docs" >/dev/null || fail "the installed documentation is not the whole"

# Every header stands alone, in C and in C++, and tips.h includes them all.
cxx=$(command -v g++ || command -v clang++ || true)
for header in "$prefix"/include/tips/*.h; do
    name=$(basename "$header")
    echo "#include <tips/$name>" >"$work/header.c"
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pkg-config --cflags tips) "$work/header.c" ||
        fail "$name does not stand alone"
    [ -z "$cxx" ] || "$cxx" -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
        $(pkg-config --cflags tips) "$work/header.c" || fail "$name is not for C++"
    [ "$name" = tips.h ] || grep -q "^#include <tips/$name>" "$prefix/include/tips/tips.h" || fail "tips.h lacks $name"
done

# C by pkg-config, shared and static.
# shellcheck disable=SC2046
"$cc" -std=c11 -Wall -Wextra -Werror examples/01_verify.c $(pkg-config --cflags --libs tips) -o "$work/shared"
# shellcheck disable=SC2046
"$cc" -std=c11 examples/01_verify.c $(pkg-config --cflags tips) "$libraries/libtips.a" \
    $(pkg-config --static --libs-only-l tips | sed 's/-ltips//') -o "$work/static"
for kind in shared static; do
    "$work/$kind" >"$work/answer" || fail "the example failed with the $kind library"
    grep -qx '0 bits differ in [0-9]* layers' "$work/answer" || fail "the example printed: $(cat "$work/answer")"
done
# The ten lines of classifier.h, segmenter.h and detector.h, and of the manual: ten_lines HEADER LINES ARCH PATTERN.
ten_lines() {
    sed -n "/^ \\*     tips_$1 \\*/,/^ \\*     }\$/p" "include/tips/$1.h" | sed 's/^ \*     //' >"$work/lines"
    sed -n "/^    tips_$1 \\*/,/^    }\$/p" docs/c-api.md | sed 's/^    //' >"$work/manual"
    [ "$(wc -l <"$work/lines")" -eq "$2" ] || fail "the example in $1.h was not found"
    diff "$work/lines" "$work/manual" || fail "docs/c-api.md does not show the example of $1.h"
    {
        echo '#include <stdio.h>'
        echo '#include <tips/tips.h>'
        echo 'static const uint8_t rgb[480 * 640 * 3];'
        echo 'int main(void) {'
        sed 's/"model.onnx"/"model.safetensors"/' "$work/lines"
        echo 'return status != TIPS_OK; }'
    } >"$work/ten.c"
    "$prefix/bin/tips" init --arch "$3" --width 8 --size 32 --out "$work/model.safetensors" >/dev/null || fail "tips init failed"
    # shellcheck disable=SC2046
    "$cc" -std=c11 -Wall -Wextra -Werror "$work/ten.c" $(pkg-config --cflags --libs tips) -o "$work/ten"
    (cd "$work" && ./ten) >"$work/answer" || fail "the ten lines of $1.h failed"
    grep -q "$4" "$work/answer" || fail "the ten lines of $1.h printed: $(cat "$work/answer")"
}
ten_lines classifier 9 tiny '%$'
ten_lines segmenter 9 unet 'the middle is of class [0-9]*$'
ten_lines detector 10 retinanet '^[0-9]* boxes'
make -s -C examples CC="$cc" -n all >"$work/log" || fail "examples/Makefile does not work"

# C++.
cat >"$work/use.cpp" <<'CODE'
#include <cstdio>
#include <cstring>
#include <new>
#include <tips/tips.h>
#include <vector>
static long blocks = 0;
static void *take(void *, std::size_t bytes) { return blocks++, ::operator new(bytes, std::nothrow); }
static void give_back(void *, void *memory) { blocks--, ::operator delete(memory); }
static int classify(const char *path) {
    const tips_allocator allocator = {take, give_back, nullptr};
    tips_classifier *classifier = nullptr;
    tips_answer answer = {};
    tips_use_allocator(&allocator);
    if (tips_classifier_load(path, nullptr, &classifier) != TIPS_OK || blocks == 0) return 4;
    std::vector<uint8_t> pixels(40 * 50 * 3, 99);
    const tips_picture picture = {pixels.data(), 40, 50, 3, 0};
    std::vector<double> probabilities(static_cast<std::size_t>(tips_classifier_classes(classifier)));
    if (tips_classifier_probabilities(classifier, &picture, &answer, probabilities.data()) != TIPS_OK) return 5;
    tips_classifier_destroy(classifier);
    return blocks == 0 && answer.probability > 0 ? 0 : 6;
}
static int segment() {
    tips_network_options options = {};
    options.arch = "unet";
    options.first_width = 8;
    tips_network *network = nullptr;
    tips_segmenter *segmenter = nullptr;
    if (tips_network_create(&options, &network) != TIPS_OK) return 7;
    const bool saved = tips_network_save(network, "unet.safetensors") == TIPS_OK;
    tips_network_destroy(network);
    if (!saved || tips_segmenter_load("unet.safetensors", nullptr, &segmenter) != TIPS_OK) return 8;
    std::vector<uint8_t> pixels(40 * 50 * 3, 99), mask(40 * 50, 254);
    const tips_picture picture = {pixels.data(), 40, 50, 3, 0};
    const bool answered = tips_segmenter_answer(segmenter, &picture, mask.data()) == TIPS_OK;
    const int classes = tips_segmenter_classes(segmenter);
    tips_segmenter_destroy(segmenter);
    return answered && mask[20 * 50 + 25] < classes ? 0 : 9;
}
static int detect() {
    tips_network_options options = {};
    options.arch = "retinanet";
    options.first_width = 8;
    tips_network *network = nullptr;
    tips_detector *detector = nullptr;
    if (tips_network_create(&options, &network) != TIPS_OK) return 10;
    const bool saved = tips_network_save(network, "boxes.safetensors") == TIPS_OK;
    tips_network_destroy(network);
    if (!saved || tips_detector_load("boxes.safetensors", nullptr, &detector) != TIPS_OK) return 11;
    std::vector<uint8_t> pixels(40 * 50 * 3, 99);
    const tips_picture picture = {pixels.data(), 40, 50, 3, 0};
    std::vector<tips_found_box> boxes(10);
    int count = -1;
    const bool answered = tips_detector_answer(detector, &picture, boxes.data(), 10, &count) == TIPS_OK;
    tips_detector_destroy(detector);
    return answered && count >= 0 ? 0 : 12;
}
int main() {
    if (const int code = segment()) return code;
    if (const int code = detect()) return code;
    tips_network_options options = {};
    options.arch = "tiny";
    options.pool = "no-such-operator";
    tips_network *network = nullptr;
    if (tips_network_create(&options, &network) != TIPS_UNKNOWN || !std::strlen(tips_last_error())) return 1;
    options.pool = "aps";
    if (tips_network_create(&options, &network) != TIPS_OK) return 2;
    std::printf("%s %s\n", tips_version(), tips_pad_mode_names[TIPS_PAD_CIRCULAR]);
    const bool saved = tips_network_save(network, "use.safetensors") == TIPS_OK;
    tips_network_destroy(network);
    return saved ? classify("use.safetensors") : 3;
}
CODE
if [ -n "$cxx" ]; then
    # shellcheck disable=SC2046
    "$cxx" -std=c++11 -Wall -Wextra -Werror "$work/use.cpp" $(pkg-config --cflags --libs tips) -o "$work/use"
    (cd "$work" && ./use) >"$work/answer" || fail "the C++ program failed"
    [ "$(cat "$work/answer")" = "$(pkg-config --modversion tips) circular" ] ||
        fail "the C++ program printed $(cat "$work/answer")"
fi

# CMake, C++.
if [ -n "$cxx" ]; then
    mkdir "$work/cxx"
    cat >"$work/cxx/CMakeLists.txt" <<'CODE'
cmake_minimum_required(VERSION 3.18)
project(use LANGUAGES C CXX)
find_package(tips REQUIRED)
foreach(kind IN ITEMS tips static)
  add_executable(use_${kind} ../use.cpp)
  target_link_libraries(use_${kind} PRIVATE tips::${kind})
endforeach()
CODE
    cmake -S "$work/cxx" -B "$work/cxx/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" \
        -DCMAKE_C_COMPILER="$cc" >"$work/log" 2>&1 &&
        cmake --build "$work/cxx/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    for kind in tips static; do
        (cd "$work" && cxx/build/use_$kind) >"$work/answer" || fail "the C++ program failed with tips::$kind"
    done
fi

# CMake, all examples.
cmake -S examples -B "$work/examples" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" >"$work/log" 2>&1 &&
    cmake --build "$work/examples" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for source in examples/*.c; do
    example=$(basename "$source" .c)
    (cd "$work" && "examples/$example") >"$work/answer" || fail "$example failed"
    [ -s "$work/answer" ] || fail "$example printed nothing"
done

# The command and its manual.
"$prefix/bin/tips" list pools >/dev/null || fail "the installed command failed"
for command in $(sed -n 's/^CLI_COMMAND(cli_\([a-z]*\).*/\1/p' cli/commands.def | sed 's/_command$//'); do
    [ -s "$prefix/share/man/man1/tips-$command.1" ] || fail "tips-$command.1 was not installed"
done
[ -s "$prefix/share/man/man1/tips.1" ] || fail "tips.1 was not installed"

# Below DESTDIR nothing is said about this machine's loader. What was installed there is found under DESTDIR and PREFIX alone.
stage=$work/stage
installed before "$stage"
DESTDIR=$stage cmake --install "$build" --prefix "$prefix" >"$work/log" || { cat "$work/log"; exit 1; }
installed after "$stage"
! grep -q 'loader\|ldconfig' "$work/log" || fail "with DESTDIR it speaks of the loader: $(cat "$work/log")"
[ -x "$stage$prefix/bin/tips" ] || fail "nothing was installed below DESTDIR"
if tools/installed.sh remove "$build" "" "$work/elsewhere" 2>"$work/log"; then fail "uninstall where nothing was installed"; fi
grep -qF "make uninstall DESTDIR=$stage PREFIX=$prefix" "$work/log" || fail "uninstall does not say what there is: $(cat "$work/log")"
installed remove "$stage" >"$work/log" || fail "uninstall below DESTDIR failed"
[ ! -e "$stage$prefix" ] || fail "uninstall leaves $(find "$stage$prefix")"
[ -x "$prefix/bin/tips" ] || fail "uninstall below DESTDIR removes what is not there"

# Twice is once; what others have put there stays, even in folders of ours.
installed before
env -u DESTDIR cmake --install "$build" --prefix "$prefix" >"$work/log" || { cat "$work/log"; exit 1; }
installed after
echo mine >"$prefix/share/tips/recipes/mine.yaml"
installed remove >"$work/log" || fail "uninstall failed"
rm "$prefix/share/tips/recipes/mine.yaml" && rmdir "$prefix/share/tips/recipes" "$prefix/share/tips"
(cd "$prefix" && find . | LC_ALL=C sort) >"$work/after"
diff "$work/before" "$work/after" || fail "uninstall removes other things than install put there"
if installed remove 2>"$work/log"; then fail "uninstall for the second time"; fi
make -n install DESTDIR=/stage PREFIX=/opt/tips | tr -d "'" | grep -q 'installed.sh after [^ ]* /stage /opt/tips' || fail "make install keeps no record"
make -n uninstall DESTDIR=/stage PREFIX=/opt/tips | tr -d "'" | grep -q 'installed.sh remove [^ ]* /stage /opt/tips' || fail "there is no make uninstall"

#!/bin/sh
# libtips.so exports what include/tips declares and nothing else, so that a program may have functions of the same names as ours within:
# neither library calls those, and libtips.a takes no name that a program generated from onnx.proto has.
set -u
build=${BUILD_DIR:?the build directory}
cc=${CC:-cc}
cd "${SOURCE_DIR:-$(dirname "$0")/../..}" || exit 1
if grep -q '^TIPS_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then
    echo "a library with sanitizers exports theirs, and needs a program with sanitizers: skipped"
    exit 77
fi
command -v nm >/dev/null || { echo "there is no nm: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

# Declared: names before a parenthesis or a bracket in headers without comments, macros, and pointers to functions.
cat include/tips/*.h | awk '
    { text = text $0 "\n" }
    END {
        while ((at = index(text, "/*")) > 0) {
            rest = substr(text, at + 2)
            text = substr(text, 1, at - 1) substr(rest, index(rest, "*/") + 2)
        }
        printf "%s", text
    }' | grep -v '^ *#' | sed 's/(\*[^)]*)//g' | grep -oE '(^|[ *])tips_[a-z0-9_]+ *[[(]' | tr -d ' *[(' | LC_ALL=C sort -u >"$work/declared"
nm -D --defined-only "$build/libtips.so" | awk '{ print $NF }' | LC_ALL=C sort -u >"$work/exported"
[ "$(wc -l <"$work/declared")" -gt 60 ] || complain "only $(wc -l <"$work/declared") declarations were found in include/tips"
LC_ALL=C comm -13 "$work/declared" "$work/exported" | sed 's/^/libtips.so exports, and no header declares: /' | head -n 20 >"$work/more"
LC_ALL=C comm -23 "$work/declared" "$work/exported" | sed 's/$/ is declared in include\/tips, and libtips.so does not export it: TIPS_API is missing/' >"$work/less"
for list in more less; do [ ! -s "$work/$list" ] || complain "$(cat "$work/$list")"; done

nm -g --defined-only "$build/libtips.a" 2>/dev/null | awk 'NF == 3 && $3 !~ /^(_|\.)?tips_/ { print $3 }' |
    grep -v -e '^\.gomp_critical_user_tips_' -e '^[._]*__odr' -e '^DW\.' | LC_ALL=C sort -u >"$work/foreign"
[ ! -s "$work/foreign" ] || complain "libtips.a takes names that are not ours: $(head -n 10 "$work/foreign" | tr '\n' ' ')"

# A program that defines what we have within, and opens an ONNX file by us.
"$build/tips" init --arch tiny --width 8 --size 32 --out "$work/model.safetensors" >/dev/null || complain "tips init failed"
model=model.safetensors
if "$build/tips" export --model "$work/model.safetensors" -o "$work/model.onnx" >/dev/null 2>&1; then model=model.onnx; fi
cat >"$work/own.c" <<'CODE'
#include <stdio.h>
#include <stdlib.h>
#include <tips/tips.h>
#define OWN(name) void *name(void); void *name(void) { puts("libtips calls " #name " of the program"); exit(3); }
OWN(onnx__model_proto__unpack)
OWN(onnx__model_proto__free_unpacked)
#ifdef SHARED
OWN(tips__onnx__model_proto__unpack)
OWN(tips__onnx_import)
OWN(tips__onnx_open)
OWN(tips__model_load)
OWN(tips__fail)
OWN(tips__malloc)
OWN(tips__conv2d)
#endif
int main(int argc, char **argv) {
    tips_classifier *classifier = NULL;
    const tips_status status = tips_classifier_load(argv[argc - 1], NULL, &classifier);
    if (status != TIPS_OK) printf("%s\n", tips_last_error());
    printf("%d classes\n", tips_classifier_classes(classifier));
    tips_classifier_destroy(classifier);
    return status != TIPS_OK;
}
CODE
"$cc" -std=c11 -DSHARED -rdynamic -Iinclude "$work/own.c" -L"$build" -ltips -Wl,-rpath,"$build" -o "$work/shared" ||
    complain "a program with names of its own does not link to libtips.so"
"$work/shared" "$work/$model" >"$work/answer" 2>&1 || complain "with libtips.so: $(cat "$work/answer")"
grep -q '^[1-9][0-9]* classes$' "$work/answer" || complain "with libtips.so the program printed: $(cat "$work/answer")"
[ "$failures" -eq 0 ]

#!/bin/sh
# Processors other than this one, by qemu-x86_64: each gets the kernels it has, and runs no instruction that it lacks.
set -u
. "${SOURCE_DIR:?the source directory}/tests/support/expect.sh"
unset TIPS_ISA ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA
skip() { echo "skipped: $*"; exit 77; }
[ -z "${LSAN_OPTIONS:-}" ] || skip "qemu does not run instrumented programs"
qemu=$(command -v qemu-x86_64 || command -v qemu-x86_64-static) || skip "there is no qemu-x86_64"
"$qemu" -cpu Haswell "$tips" --version >/dev/null 2>&1 || skip "this is no build that $qemu runs"
for level in baseline avx2; do
    TIPS_ISA=$level "$qemu" -cpu Haswell "$tips" --version >/dev/null 2>&1 || skip "$qemu or this build has no $level"
done

command=$tips
tips=$work/emulated
try() { # PROCESSOR LEVEL
    printf '#!/bin/sh\nexec "%s" -cpu %s "%s" "$@" 2>&1\n' "$qemu" "$1" "$command" >"$tips"
    chmod +x "$tips"
    expect 0 "kernels: $2, the best this processor has" --version
    expect 0 'Exact: 0 differing bits' verify --arch tiny --pool tips-exact --size 16 --shifts 8 --quiet
    expect 0 'images/s' bench step --arch tiny --size 16 --batch 2 --steps 1 --mode train
}
try Nehalem baseline
TIPS_ISA=avx2 expect 2 "TIPS_ISA is 'avx2'.*this processor runs baseline" --version
try Haswell avx2

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

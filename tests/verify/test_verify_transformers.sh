#!/bin/sh
# Small transformers under every circular shift: exact with operators that choose a grid, and where and why the plain ones break.
set -u
tips=${TIPS:?the path of the command}
failures=0

# expect CODE TEXT ARGUMENTS...: the exit code and a part of the verdict.
expect() {
    code=$1
    why=$2
    shift 2
    output=$("$tips" verify --quiet "$@" 2>&1)
    got=$?
    if [ "$got" -ne "$code" ] || ! printf '%s\n' "$output" | tr '\n' ' ' | grep -q -- "$why"; then
        failures=$((failures + 1))
        printf 'tips verify %s: exit code %s (wanted %s), wanted: %s\n%s\n' "$*" "$got" "$code" "$why" "$output"
    fi
}

shifts=1024
[ -z "${ASAN_OPTIONS-}" ] || shifts=40 # sanitizers take many times as long
for pool in aps lps tips-exact; do
    expect 0 "Exact: 0 differing bits in [0-9]* layers under $shifts shifts" --shifts $shifts --arch vit_tiny --width 32 --pool $pool
    expect 0 "Exact: 0 differing bits in [0-9]* layers under $shifts shifts" --shifts $shifts --arch swin_tiny --width 16 --pool $pool
done
expect 0 "Exact: 0 differing bits in [0-9]* layers under $shifts shifts" --shifts $shifts --arch swin_t --width 32 --pool tips-exact
expect 0 'Exact' --arch vit_b_16 --width 64 --pool tips-exact --size 48x32 --shifts 64
expect 3 'breaks is conv_proj\. Reason (patch grid).*position embedding (encoder.pos_embedding)' --arch vit_tiny --width 32 --pool stride --shifts 16
expect 3 'breaks is features.0.0\. Reason (patch grid).*windows (features.1.0.attn)' --arch swin_tiny --width 16 --pool stride --shifts 16
expect 3 'breaks is features.0.pool\. Reason (fixed grid)' --arch swin_tiny --width 16 --pool max --shifts 16
exit $((failures > 0))

#!/bin/sh
# The levels of kernels below the best that $TIPS and this processor have, a line each.
set -eu
tips=${TIPS:?the command}
unset TIPS_ISA
best=$("$tips" --version | sed -n 's/.*kernels: \([a-z0-9]*\),.*/\1/p')
[ -n "$best" ] || { echo "levels.sh: $tips --version does not name its kernels" >&2; exit 1; }
for level in avx2 baseline; do
    [ "$level" = "$best" ] || ! TIPS_ISA=$level "$tips" --version >/dev/null 2>&1 || echo "$level"
done

#!/bin/sh
# Parallel loops keep to what the crew (src/core/crew.h) runs: parallel regions, loops in fixed chunks, barriers at their
# end, critical parts, and the loops of core/threads.h, whose pieces threads take one by one. Other parts of OpenMP would
# find no team of its runtime and do everything once in each thread.
set -eu
cd "$(dirname "$0")/../.."
others='schedule\((dynamic|guided|auto|runtime)|omp (single|master|masked|task|taskloop|sections|section|ordered|simd|target|teams)\b'
if grep -rnE "$others" src cli --include='*.[ch]' --exclude=threads.h --exclude=crew.h; then
    echo "OpenMP's other loops, single parts and tasks are not run by the crew: write TIPS_PARALLEL_FOR instead" >&2
    exit 1
fi
# Loops must get to the crew: whoever has one includes core/threads.h. The one team of OpenMP's own is polite.c's.
for file in $(grep -rlE 'pragma omp|TIPS_PRAGMA\(omp' src cli --include='*.c'); do
    case $file in src/core/polite.c) continue ;; esac
    grep -q '#include "core/threads.h"' "$file" || { echo "$file has a parallel loop and does not include core/threads.h" >&2; exit 1; }
done

#!/bin/sh
# at_level.sh LEVEL PROGRAM...: runs a program with the kernels of a level, or skips it where the processor lacks them.
TIPS_ISA=$1
export TIPS_ISA
shift
"${TIPS:?the command}" --version >/dev/null 2>&1 || { echo "skipped: this processor does not run $TIPS_ISA"; exit 77; }
exec "$@"

#!/bin/sh
# The rooms keep to their doors, and the check notices when they do not.
set -eu
source=${SOURCE_DIR:-$(dirname "$0")/../..}
check=$source/tests/house/check_rooms.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

sh "$check" "$source" || failures=1

# must_find TEXT FILE LINE: with LINE added to FILE the check fails and says TEXT.
must_find() {
    rm -rf "$work/tree"
    mkdir "$work/tree"
    (cd "$source" && cp -R src cli include "$work/tree")
    echo "$3" >>"$work/tree/$2"
    if sh "$check" "$work/tree" >"$work/log" 2>&1; then
        echo "'$3' in $2 was not noticed"
        failures=1
    elif ! grep -q "$1" "$work/log"; then
        echo "'$3' in $2: said otherwise than '$1':"
        cat "$work/log"
        failures=1
    fi
}

must_find 'cycle: core includes verify' src/core/fail.h '#include "verify/verify.h"'
must_find 'cycle: verify includes' src/model/open_model.h '#include "verify/verify.h"'
must_find 'evaluate may not include "study/compare.h"' src/evaluate/evaluate.h '#include "study/compare.h"'
must_find 'is the own of the room verify' src/audit/audit.c '#include "verify/verify_parts.h"'
must_find 'may not include "net/net.h"' cli/main.c '#include "net/net.h"'
must_find 'dnnl.h belongs to' src/layer/relu.c '#include <dnnl.h>'
exit $failures

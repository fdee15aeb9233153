#!/bin/sh
# lack.sh WHAT: the last word of a test that has nobody to compare with. It is skipped, or fails where TIPS_TEST_PEERS=1
# says that all of them must be there (`tools/deps.sh peers` installs them).
if [ "${TIPS_TEST_PEERS:-0}" = 1 ]; then
    echo "failed, for TIPS_TEST_PEERS=1: $*"
    exit 1
fi
echo "skipped: $*"
exit 77

#!/bin/sh
# docs/adding-a-pool.md to the letter: its blocks, put into a copy of the sources, build and do what the page promises.
set -u
. "${SOURCE_DIR:?the source directory}/tests/support/guide.sh"

follow docs/adding-a-pool.md src/pool/pool_diagonal.c src/pool/pools.def
configure
compile src/pool/pool_diagonal.c
compile src/pool/pools.c
join_levels
link_command
link contract "$built/CMakeFiles/test_contract_pools.dir/tests/pool/test_contract_pools.c.o" \
    "$built/libtips_test_support.a" -lcmocka

expect 0 '^diagonal  *-  *-  *-  *-  *mean of the diagonal of each window' list pools
expect 0 '^diagonal:which  *main|anti  *main ' list pools
expect 2 "did you mean 'diagonal'?" verify --pool diagnal
expect 2 'main|anti' verify --pool diagonal:which=both
for pool in diagonal diagonal:which=anti; do
    expect 3 'breaks is pool\.' verify --alone --pool $pool --stride 3x2 --size 12x18 --quiet
    expect 3 'Reason (fixed grid): diagonal' verify --alone --pool $pool --stride 3x2 --size 12x18 --quiet
    expect 3 'breaks is layer2.0.pool\.' verify --arch tiny --pool $pool --lpf 3 --size 16 --shifts 32 --quiet
done
expect 0 '^diagonal ' bench pools --pools avg,diagonal --batch 2 --channels 8 --size 16 --steps 1
expect 0 'diagonal' cost --arch tiny --pool diagonal --batch 1

TIPS_ONLY_POOL=diagonal "$build/contract" >"$work/log" 2>&1 ||
    blame "the contract does not hold" "$work/log"
grep -q 'which=anti\|diagonal: [1-9][0-9]* cases' "$work/log" || blame "the contract was not tested" "$work/log"

# Only what the check of the documentation has to say about the new operator; the rest is its own test's matter.
TIPS=$tips SOURCE_DIR=$tree BUILD_DIR=$build sh tests/house/test_docs.sh >"$work/log" 2>&1
! grep -q diagonal "$work/log" || blame "the new page does not pass" "$work/log"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

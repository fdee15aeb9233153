#!/bin/sh
# Every family with every exact operator keeps its answer under circular shifts, to the last bit; the plain ones break at
# their first downsampling, and those with zero padding before that. "full" tries every shift and larger forms.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
shifts=${1:-24}
[ -z "${ASAN_OPTIONS-}" ] || shifts=3 # sanitizers take many times as long
sizes=${2:-32}

families='mobilenet_v1 --width 8
mobilenet_v2 --width 8
mobilenet_v3_large --width 8
mobilenet_v3_small --width 8
vgg11 --width 8
vgg13_bn --width 8
densenet_bc_40_12 --width 8
efficientnet_b0 --width 8 --depth 0.4'

# Words are meant to be split.
# shellcheck disable=SC2086
while read -r family; do
    for size in $sizes; do
        for pool in aps lps tips-exact; do
            expect 0 'Exact: 0 differing bits' verify --arch $family --pool $pool --size "$size" --shifts "$shifts" --quiet
        done
        expect 3 'Reason (fixed grid)' verify --arch $family --pool stride --size "$size" --shifts "$shifts" --quiet
        expect 3 'Reason (padding)' verify --arch $family --pool tips-exact --padding zero --size "$size" --shifts "$shifts" --quiet
    done
done <<LIST
$families
LIST

# Whatever the norm, here one that stands behind a convolution, there one that comes first, or is a part of it.
for norm in layer group:4 instance kernel none; do
    expect 0 'Exact: 0 differing bits' verify --arch mobilenet_v2 --width 8 --norm "$norm" --shifts "$shifts" --quiet
    expect 0 'Exact: 0 differing bits' verify --arch densenet_bc_40_12 --width 4 --norm "$norm" --shifts "$shifts" --quiet
    expect 3 'Reason (fixed grid)' verify --arch mobilenet_v2 --width 8 --norm "$norm" --pool max --shifts "$shifts" --quiet
done

# The own head of a VGG flattens its map: behind an exact operator it begins at an anchor.
expect 0 'Exact: 0 differing bits' verify --arch vgg11 --width 4 --pool aps --size 112 --down 4 --head own --shifts 4 --quiet
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

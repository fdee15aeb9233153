#!/bin/sh
# Detectors: with an operator that chooses and a pyramid that follows it, every map, the places of the anchors and the boxes move with
# the picture; without either, the layer that breaks is named.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
shifts=${1:-6}

small="--arch retinanet --backbone resnet18 --width 4 --classes 3 --size 128 --shifts $shifts --quiet"
# Words are meant to be split.
# shellcheck disable=SC2086
{
    for pool in aps tips-exact; do
        expect 0 'Exact: 0 differing bits' verify $small --pool $pool
    done
    expect 0 'Exact: 0 differing bits' verify $small --pool tips-exact --lpf 3
    # Random weights find nothing much: all they find is compared.
    expect 0 'The answer to this one input is the same for every shift' verify $small --pool aps --task detect:score=0.009,shown=0.009
    expect 3 'The answer changes' verify $small --pool max --task detect:score=0.009,shown=0.009
    expect 0 'The answer changes' verify $small --pool aps --task detect:score=0.009,shown=0.009,border=clip # by clipping alone
    expect 3 'Reason (lost phase)' verify $small --pool aps --up nearest
    expect 3 'Reason (fixed grid)' verify $small --pool max
    expect 3 'Reason (padding)' verify $small --pool aps --padding zero
    expect 2 'repeats cells' verify $small --up insert
}

# A black picture with a spot: most cells see the same, so their logits are equal, and the order of regions has to follow the picture.
picture=$(mktemp) || exit 1
trap 'rm -f "$picture"' EXIT
{
    printf 'P6\n256 256\n255\n'
    head -c 15400 /dev/zero
    for row in 1 2 3 4 5 6 7 8; do
        head -c 60 /dev/zero | tr '\0' '\310'
        head -c $((708 - 3 * row)) /dev/zero
    done
    head -c 175172 /dev/zero
} >"$picture"

small="--arch fasterrcnn --backbone resnet18 --width 4 --classes 3 --size 128 --shifts $shifts --quiet"
all="score=0.01,shown=0.01"
# shellcheck disable=SC2086
{
    expect 0 'Exact: 0 differing bits' verify $small --pool tips-exact
    expect 0 'The answer to this one input is the same for every shift' verify $small --pool aps --task detect:$all
    expect 0 'Exact: 0 differing bits' verify $small --pool aps --backbone vgg11 --size 256 --image "$picture"
    expect 3 'The answer changes' verify $small --pool max --task detect:$all
    expect 3 'Reason (clipping)' verify $small --pool aps --task detect:border=clip
    expect 3 'Reason (padding)' verify $small --pool aps --padding zero
    expect 3 'Reason (lost phase)' verify $small --pool aps --up nearest
}
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

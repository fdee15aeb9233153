#!/bin/sh
# Networks for segmentation under every circular shift of small inputs, and under more shifts of larger ones.
set -u
. "${SOURCE_DIR:?the source directory}/tests/support/expect.sh"
for arch in unet deeplabv3plus fcn; do
    for pool in aps lps tips-exact; do
        expect 0 'Exact: 0 differing bits' verify --arch $arch --width 4 --classes 3 --size 32 --pool $pool --shifts all --quiet
        expect 0 'Exact: 0 differing bits' verify --arch $arch --width 4 --classes 3 --size 32x48 --stem imagenet --down 4 --pool $pool --shifts all --quiet
    done
done
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }
sh "$SOURCE_DIR/tests/verify/test_verify_segmenters.sh" 40 "64 96x64"

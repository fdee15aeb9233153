#!/bin/sh
# Networks for segmentation with trained weights: every layer and the mask move with the picture under circular shifts, to the
# last bit, with tips-exact under every shift there is; with max they do not.
set -u
. "${SOURCE_DIR:?the source directory}/tests/support/expect.sh"

for size in 64 96x64; do
    data="shapes:size=$size,classes=3,train=24,test=8"
    for arch in unet deeplabv3plus; do
        for pool in aps lps tips-exact; do
            shifts=48
            [ $pool = tips-exact ] && shifts=all
            out=$work/$arch-$pool-$size
            expect 0 '' train --arch $arch --width 4 --pool $pool --data "$data" --size $size --epochs 1 --batch 8 --lr 0.02 --out "$out"
            expect 0 'Exact: 0 differing bits' verify --model "$out/last.safetensors" --shifts $shifts --quiet
        done
    done
done
# The control: what samples on a fixed grid breaks with trained weights as well.
expect 0 '' train --arch unet --width 4 --pool max --data shapes:size=64,classes=3,train=24,test=8 --size 64 --epochs 1 --batch 8 --lr 0.02 --out "$work/max"
expect 3 'Reason (fixed grid)' verify --model "$work/max/last.safetensors" --shifts 8 --quiet

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# Networks for segmentation: with an operator that chooses and an upsampling that follows it, every layer and the mask move
# with the picture, to the last bit; without either, the layer that breaks is named. "full" tries every shift.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
shifts=${1:-6}
[ -z "${ASAN_OPTIONS-}" ] || shifts=3 # sanitizers take many times as long

sizes=${2:-64}
for arch in unet deeplabv3plus deeplabv3 fcn; do
    for size in $sizes; do
        small="--arch $arch --backbone resnet18 --width 4 --classes 3 --size $size --shifts $shifts --quiet"
        # Words are meant to be split.
        # shellcheck disable=SC2086
        {
            for pool in aps lps tips-exact; do
                expect 0 'Exact: 0 differing bits' verify $small --pool $pool
            done
            expect 0 'The answer to this one input is the same for every shift' verify $small --pool tips-exact --lpf 3
            for up in follow-nearest follow-bilinear; do
                expect 0 'Exact: 0 differing bits' verify $small --pool tips-exact --up $up
            done
            for up in nearest bilinear; do
                expect 3 'Reason (lost phase)' verify $small --pool tips-exact --up $up
            done
            for pool in max blur; do
                expect 3 'Reason (fixed grid)' verify $small --pool $pool
                expect 3 'The answer changes' verify $small --pool $pool --up bilinear
            done
            expect 3 'Reason (padding)' verify $small --pool tips-exact --padding zero
        }
    done
done
expect 0 'Exact: 0 differing bits' verify --arch unet --width 4 --size 96x64 --shifts "$shifts" --quiet
expect 0 'Exact: 0 differing bits' verify --arch deeplabv3plus --width 4 --size 96 --output-stride 8 --shifts "$shifts" --quiet
expect 0 'Exact: 0 differing bits' verify --arch unet --backbone mobilenet_v2 --width 8 --size 32 --shifts "$shifts" --quiet
expect 0 'Exact: 0 differing bits' verify --arch unet --backbone resnet50 --width 4 --size 32 --norm group:2 --shifts "$shifts" --quiet
expect 0 'Exact: 0 differing bits' verify --arch unet-plain --width 4 --down 3 --size 32x48 --shifts "$shifts" --quiet
expect 0 'Exact: 0 differing bits' verify --arch unet --width 4 --size 32 --pool aps --up transpose --shifts "$shifts" --quiet
expect 3 'Reason (lost phase)' verify --arch unet-plain --width 4 --down 3 --size 32x48 --up plain-transpose --shifts "$shifts" --quiet
expect 3 'Reason (odd size)' verify --arch unet --width 4 --size 60x50 --shifts "$shifts" --quiet
expect 2 "did you mean 'unet'?" verify --arch unett --shifts 2
expect 2 'is a backbone itself' verify --arch resnet18 --backbone resnet18 --shifts 2
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

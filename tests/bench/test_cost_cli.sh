#!/bin/sh
# tips cost: --arch all, and the paper's figures beside ours.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
counts='--no-time --no-memory'

expect 0 '^3x32x32, 10 classes, cifar stem, 2 downsampling layers, circular padding; arenas' cost --arch tiny --pool max $counts
expect 0 '^3x32x32, 10 classes, circular padding; arenas' cost --arch tiny,resnet18 --pool max $counts
expect 0 '^3x224x224, 10 classes, circular padding$' cost --paper --arch tiny,resnet18 --pool max --size 224
expect 0 '^resnet34  *max  *21.798  *21.282  *21.282  *4.538  *8.128$' cost --paper --arch resnet34 --pool max --size 224 --classes 1000
expect 0 '^  mobilenet_v1: the first MobileNet' cost --paper --arch mobilenet_v1 --pool tips-exact --size 224
expect 0 '^vit_tiny  *max  *[0-9.]*  *-  *-  *[0-9.]*  *-$' cost --paper --arch all --pool max,tips-exact
"$tips" cost --paper --arch vit_tiny --pool max | grep -q 'counted on' && complain "the paper is said to have counted vit_tiny"
expect 0 '^unet, resnet34  *max  *24.439  *-  *-  *8.706  *27.678$' cost --paper --arch unet --backbone resnet34 --pool max --size 200x304 --classes 21
expect 0 '"backbone": "resnet101"' cost --arch deeplabv3plus --backbone resnet101 --pool max --size 32 --json $counts
expect 0 '"our_parameters_so": 21282122' cost --arch resnet34 --pool max --size 224 --classes 1000 --json $counts
expect 0 '"paper": null' cost --arch vit_tiny --pool max --json $counts
expect 2 "unknown architecture 'al'" cost --arch al --pool max
# Of all architectures those that the options do not suit are named; one that is asked for by name is an error.
expect 0 '^left out: unet: 1000 classes of pixels; at most 255' cost --arch all --pool max --size 224 --classes 1000 $counts
expect 0 '^resnet18  *max ' cost --arch all --pool max --size 224 --classes 1000 $counts
expect 0 '"arch": "fcn"' cost --arch all --pool max --size 224 --classes 1000 --json $counts
expect 2 '1000 classes of pixels' cost --arch resnet18,unet --pool max --size 224 --classes 1000
expect 2 "unknown pooling operator 'tipsy'" cost --arch all --pool tipsy

exit $((failures > 0))

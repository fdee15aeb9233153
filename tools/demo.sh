#!/bin/sh
# A short tour of the command: what there is, which networks keep their answer under a shift, and how fast they train.
set -u
tips=${TIPS:-build/tips}

say() { printf '\n== %s\n' "$*"; }
show() {
    printf '$ tips %s\n' "$*"
    "$tips" "$@"
    code=$?
    # 3 is a verdict, not a failure: the network does change its answer.
    if [ $code -ne 0 ] && [ $code -ne 3 ]; then exit $code; fi
}

say "The pooling operators. 'exact' means: the same answer, bit by bit, wherever the image is shifted to."
show list pools

say "A ResNet-18 with max pooling. Shift its input by a few pixels, and its output changes."
show verify --pool max --arch resnet18 --width 16 --size 32 --shifts 64

say "The same network with the anchored TIPS pooling. The output stays what it was."
show verify --pool tips-exact --arch resnet18 --width 16 --size 32 --shifts 64

say "What a training step costs."
show bench step --arch resnet18 --width 32 --batch 16 --size 32

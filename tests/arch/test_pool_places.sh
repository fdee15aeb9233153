#!/bin/sh
# --others: where the other operator is, in the network and in its file; --stem-kernel: any size keeps exactness.
. "$(dirname "$0")/../support/expect.sh"
small="--arch resnet18 --width 4 --size 16 --shifts 5"
expect 0 'Exact: 0 differing bits' verify $small --pool tips-exact
expect 3 'breaks is layer2.0.pool' verify $small --pool tips-exact --others 1
expect 3 'breaks is layer4.0.pool' verify $small --pool tips-exact --others -1
expect 3 'breaks is layer3.0.pool' verify $small --pool max --others 1 --other-pool aps
expect 3 'breaks is layer2.0.pool' verify $small --pool max --others -2 --other-pool aps
expect 0 'Exact: 0 differing bits' verify $small --pool max --others 3 --other-pool aps
expect 3 'breaks is blocks.4.0.pool' verify --arch mobilenet_v1 --width 8 --size 16 --shifts 5 --pool lps --others -1
"$tips" init --arch resnet18 --width 4 --size 16 --pool aps --others -1 --other-pool blur:n=5 --stem-kernel 4 --out "$work/m.safetensors" >/dev/null || complain "init failed"
expect 3 'breaks is layer4.0.pool' verify --model "$work/m.safetensors" --shifts 5
expect 3 'blur samples on a fixed grid' verify --model "$work/m.safetensors" --shifts 5
for kernel in 2 3 4 5; do expect 0 'Exact: 0 differing bits' verify $small --pool none --stem-kernel $kernel; done
expect 2 'resnet18 has 3 downsampling layers' verify $small --others 4
expect 2 'no --others' verify --arch vit_b_16 --pool max --others 1
expect 2 'no --stem-kernel' verify --arch densenet121 --stem-kernel 5
expect 2 "unknown pooling operator 'maxx'" verify $small --others 1 --other-pool maxx
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# Whole networks under every circular shift: exact operators give 0 differing bits, the others break where they should.
set -u
tips=${TIPS:?the path of the command}
failures=0

# expect CODE LAYER-AND-REASON ARGUMENTS...: the verdict's exit code and, for 3, the first breaking layer and the reason.
expect() {
    code=$1
    why=$2
    shift 2
    printf 'tips verify %s\n' "$*"
    output=$("$tips" verify --quiet "$@" 2>&1)
    got=$?
    if [ "$got" -ne "$code" ] || ! printf '%s\n' "$output" | tr '\n' ' ' | grep -q -- "$why"; then
        failures=$((failures + 1))
        printf '  exit code %s (wanted %s), wanted: %s\n' "$got" "$code" "$why"
        printf '%s\n' "$output" | sed 's/^/  | /'
    fi
}

for pool in aps lps tips-exact none; do
    for lpf in 0 5; do
        expect 0 'Exact: 0 differing bits' --arch resnet18 --stem cifar --down 3 --pool $pool --lpf $lpf --size 32
    done
done
for pool in aps lps tips-exact; do
    expect 0 'Exact' --arch resnet18 --stem cifar --down 5 --pool $pool --size 64
    expect 0 'Exact' --arch resnet50 --stem cifar --pool $pool --size 32
    expect 0 'Exact' --arch resnet18 --stem cifar --pool $pool --size 32x48
    expect 0 'Exact' --arch resnet18 --stem imagenet --pool $pool --size 96x64 --shifts 256
    for stride in 3 3x2 2x3 1x2; do
        expect 0 'Exact' --alone --pool $pool --stride $stride --channels 20 --size 36x24
    done
done
for pool in aps lps tips-exact; do
    for steps in max max3 avg max+lpf3; do
        expect 0 'Exact' --arch resnet18 --stem cifar --down 3 --pool $pool:before=$steps --size 32
        expect 0 'Exact' --alone --pool $pool:before=$steps --stride 3x2 --channels 20 --size 36x24
    done
    expect 0 'Exact' --arch resnet18 --stem imagenet --pool $pool:before=max --size 96x64 --shifts 256
done
for pool in max avg stride blur ddac tips tips-official; do
    expect 3 'breaks is layer2.0.pool\. Reason (fixed grid)' --arch resnet18 --stem cifar --down 3 --pool $pool --size 32
    expect 3 'breaks is pool1\. Reason (fixed grid)' --arch resnet18 --stem cifar --down 5 --pool $pool --size 64 --shifts 64
done
for pool in aps lps tips-exact none max; do
    expect 3 'breaks is conv1\. Reason (padding)' --arch resnet18 --pool $pool --padding zero --size 32 --shifts 64
done
expect 3 'breaks is layer4.0.pool.extend\. Reason (odd size)' --arch resnet18 --pool tips-exact --size 36 --shifts 64

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# A short tour of the command: which networks keep their answer under a shift, what that costs, and how fast they train.
set -u
tips=${TIPS:-build/tips}
output=$(mktemp)
trap 'rm -f "$output"' EXIT
# Threads that wait without spinning: a demo should not suffer from other programs on the machine.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"

say() { printf '\n-- %s\n' "$*" | fold -s -w 100 | sed 's/ *$//'; }

# show FILTER ARGUMENTS...: runs the command and shows what the filter leaves of its output.
show() {
    filter=$1
    shift
    printf '\n$ tips %s\n' "$*"
    "$tips" "$@" >"$output"
    code=$?
    $filter <"$output"
    # 3 is a verdict, not a failure: the network does change its answer.
    if [ $code -ne 0 ] && [ $code -ne 3 ]; then exit $code; fi
}

# Of the table of layers, those that add branches, pool or answer, and all that follows it.
main_layers() {
    awk '
        /^layer  / || /^---/ { in_table = 1; print; next }
        in_table && NF == 0 { in_table = 0; printf "(%d more layers)\n", hidden }
        in_table && $1 !~ /(pool|relu|fc)$/ { hidden++; next }
        in_table && $1 ~ /downsample|relu$/ && $1 !~ /^layer[1-4]\.[0-9]*\.relu$/ { hidden++; next }
        { print }'
}

# The names, without the options that follow.
first_table() { awk 'NF == 0 { exit } { print }'; }

speed() { grep -E '^(speed|memory|allocations)'; }

network="--arch resnet18 --width 16 --size 32"

printf 'A vision network should give the same answer wherever the picture lies. Most do not.\n'

say "These pooling operators can be built into a network. An exact one lets the picture move without a bit of the answer changing."
show first_table list pools

say "A ResNet-18 with max pooling and random weights, on a picture and on 64 circular shifts of it." \
    "From the first pooling layer on, the shifted picture gives other values."
# shellcheck disable=SC2086 # the options are words
show main_layers verify --pool max $network --shifts 64

say "The same network with anchored polyphase pooling: every layer gives the same bits, shifted, and the answer stays."
# shellcheck disable=SC2086
show main_layers verify --pool tips-exact $network --shifts 64

say "Pooling as the paper's text defines it breaks like max does; with an anchor it is exact too."
# shellcheck disable=SC2086
show cat verify --pool tips $network --shifts 64 --quiet
# shellcheck disable=SC2086
show cat verify --pool tips:anchor=norm $network --shifts 64 --quiet

say "What the operators add to the full ResNet-18: parameters and arithmetic. (Memory and time are left out here: they take a while.)"
show cat cost --arch resnet18 --pool max,aps,lps,tips,tips-exact --no-time --no-memory

say "One training step of each, losses and update included, after one step to warm up. (For real measurements: make bench.)"
# shellcheck disable=SC2086
show speed bench step --pool max $network --batch 16 --warmup 1 --steps 1
# shellcheck disable=SC2086
show speed bench step --pool tips-exact $network --batch 16 --warmup 1 --steps 1

say "More: 'tips help', 'tips help verify', docs/README.md."

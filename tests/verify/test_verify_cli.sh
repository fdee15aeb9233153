#!/bin/sh
# tips verify on narrow networks under some shifts: verdicts, reasons and exit codes. test_full_verify.sh tries all.
set -u
tips=${TIPS:?the path of the command}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_WAIT_POLICY=passive
failures=0

complain() {
    failures=$((failures + 1))
    printf 'tips verify %s\n  %s\n' "$arguments" "$1"
    sed 's/^/  | /' "$work/head" "$work/errors"
}

# Runs the command; the part of its JSON before the table of layers goes to $work/head.
verify() {
    code=$1
    shift
    arguments=$*
    "$tips" verify --json --shifts 48 "$@" >"$work/json" 2>"$work/errors"
    got=$?
    sed '/"layers": \[/,$d' "$work/json" >"$work/head"
    [ "$got" -eq "$code" ] || complain "exit code $got, wanted $code"
}

field() {
    grep -q "^  \"$1\": $2,\$" "$work/head" || complain "\"$1\" should be $2"
}

exact() {
    verify 0 "$@"
    field exact true
    field differing_bits 0
    field first_breaking_layer null
    field reason null
    grep -q '"exact": false' "$work/json" && complain "a layer is not exact"
}

# breaks REASON LAYER ARGUMENTS...
breaks() {
    reason=$1
    layer=$2
    shift 2
    verify 3 "$@"
    field exact false
    field differing_bits '[1-9][0-9]*'
    field within_tolerance false
    field reason "\"$reason\""
    field first_breaking_layer "\"$layer\""
    field advice '".*[a-z].*"'
}

# refused CODE PATTERN ARGUMENTS...: nothing on standard output, and a sentence that matches.
refused() {
    code=$1
    pattern=$2
    shift 2
    verify "$code" "$@"
    [ ! -s "$work/json" ] || complain "a result was written"
    grep -q -- "$pattern" "$work/errors" || complain "the error should say: $pattern"
}

network="--arch resnet18 --width 8 --size 16"

for pool in aps lps tips-exact none tips:anchor=norm; do
    exact $network --pool $pool
    exact $network --pool $pool --lpf 5
done
for pool in aps lps tips-exact; do
    for steps in none max max3+lpf3 avg+max5; do exact $network --pool $pool:before=$steps; done
done
exact --arch resnet18 --width 8 --stem imagenet --size 64 --shifts 64 --pool tips-exact:before=max
exact --arch resnet18 --width 16 --size 16 --pool tips-exact
exact --arch resnet50 --width 8 --size 16 --pool tips-exact
for pool in aps lps tips-exact; do
    exact --arch resnet18 --width 8 --size 16x24 --pool $pool
    exact --alone --pool $pool --stride 16 --channels 4 --size 32
    for stride in 3 3x2; do exact --alone --pool $pool --stride $stride --channels 20 --size 12x18; done
done

for pool in max avg stride blur ddac tips tips-official; do
    breaks 'fixed grid' layer2.0.pool $network --pool $pool
    breaks 'fixed grid' pool --alone --pool $pool --stride 3x2 --size 12x18
done
for steps in max avg lpf3; do breaks 'fixed grid' layer2.0.pool $network --pool stride:before=$steps; done
for steps in max avg3 lpf3; do breaks padding pool.$steps --alone --pool aps:before=$steps --padding zero --size 12; done
for pool in aps tips-exact none max; do breaks padding conv1 $network --pool $pool --padding zero; done
breaks 'odd size' layer4.0.pool.extend --arch resnet18 --width 8 --size 20 --pool tips-exact
breaks 'odd size' layer2.0.pool.extend --arch resnet18 --width 8 --size 16x15 --pool aps

advises() {
    wanted=$1
    shift
    verify 3 "$@"
    grep -q "\"advice\": \".*$wanted\"" "$work/head" || complain "the advice should end in: $wanted"
}

advises 'the height of its map, 5, is not divisible by the stride; use a size divisible by 8' --arch resnet18 --width 8 --size 20 --pool aps
advises 'the width of its map, 9, is not divisible by the stride; use a height divisible by 3 and a width divisible by 2' \
    --alone --pool aps --stride 3x2 --size 9x9
advises 'the height of its map, 8, is not divisible by the stride; use a height divisible by 3 and a width divisible by 2' \
    --alone --pool tips-exact --stride 3x2 --size 8x8
advises 'the width of its map, 6, is not divisible by the stride; use a width divisible by 4' --alone --pool lps --stride 1x4 --size 9x6
breaks 'per-channel choice' layer2.0.pool $network --pool aps:choice=channel

# In plain double sums the last bits differ, far within the tolerance.
for pool in aps lps tips-exact; do
    verify 3 --arch tiny --width 8 --size 8 --shifts 16 --pool $pool --engine ref
    field within_tolerance true
    field invariant true
    field reason '"rounding"'
done

refused 2 "unknown pooling operator 'apps'; did you mean 'aps'?" --pool apps
refused 2 "unknown architecture 'resnet81'; did you mean 'resnet18'?" --arch resnet81
refused 2 "It takes 1|2|inf" --pool aps:p=3
refused 2 'low-pass filter has size 2..7' --lpf 1
refused 2 'it takes all or 1..1024' --shifts 0
refused 2 'too small for resnet18' --size 2
refused 2 'it takes dnnl|ref' --engine gpu
refused 2 'each 0..16' --alone --stride 17
refused 2 'of an operator --alone' --stride 3x2
refused 2 'give one' --data shapes --image "$work/missing.png"
refused 2 'a number in --data' --picture 3
refused 1 'no-such-data: there is no such file' --data "$work/no-such-data"
refused 2 'no picture 20 in test; there are 20' --data shapes:test=20 --picture 20
exact --arch tiny --size 16 --data shapes:test=20 --picture 19
refused 2 'names classes, and verify shows none' --labels "$work/missing.txt"
refused 2 'pictures have 1 or 3 channels, and the input 4' --channels 4 --image "$work/missing.png"
refused 2 'is of pictures; give one' --resize 40
refused 2 "'oops' is not one number or one for each of 3 channels" --mean oops
refused 1 'elephant: it cannot be opened' elephant
refused 1 'missing.png: No such file' --image "$work/missing.png"

# The verdict in words, without and with the table.
"$tips" verify $network --shifts 48 --pool lps --quiet >"$work/quiet" 2>&1
"$tips" verify $network --shifts 48 --pool lps >"$work/table" 2>/dev/null
arguments="$network --pool lps"
grep -q '^Exact: 0 differing bits in [0-9]* layers under 48 shifts\.$' "$work/quiet" ||
    complain "--quiet does not give the verdict"
grep -q '^layer2.0.pool  *lps  *16x8x8  *0  *0  *0  *yes$' "$work/table" ||
    complain "the table has no row layer2.0.pool"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

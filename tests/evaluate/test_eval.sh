#!/bin/sh
# tips eval and tips predict by what they print: fields, exactness, independence of batch and threads, arrays in and out.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
images=$source/tests/images
if built_with png jpeg; then
    colour=$images/colour.png grey=$images/grey.jpg
else
    colour=$images/colour.ppm grey=$images/grey.pgm
fi

# value FILE KEY: "value low high" of a figure.
value() {
    awk -v key="\"$2\": {" '
        index($0, key) { inside = 1; next }
        inside && /}/ { exit }
        inside { sub(/.*: /, ""); sub(/,$/, ""); printf "%s ", $0 }' "$1"
}

small="--arch tiny --size 16 --data shapes --quiet --threads 1"

# Every figure has a value and an interval around it.
"$tips" eval $small --pool tips-exact --limit 24 --grid-images 4 --levels --json >"$work/exact.json" || complain "tips eval failed"
for key in accuracy top5 standard_consistency standard_fidelity circular_consistency circular_fidelity msb msb_nontrivial; do
    value "$work/exact.json" "$key" | awk '{ exit !(NF == 3 && $2 <= $1 && $1 <= $3 && $1 >= 0 && $3 <= 100) }' ||
        complain "$key is not a figure: $(value "$work/exact.json" "$key")"
done
for key in standard_accuracy_x_consistency layers levels heatmap worst_consistency worst_accuracy protocol split weights; do
    grep -q "\"$key\":" "$work/exact.json" || complain "the JSON has no $key"
done
set -- $(value "$work/exact.json" circular_consistency)
[ "$1" = 100 ] || complain "tips-exact: circular consistency is $1, not exactly 100"
for full in '--protocol afc' --full-grid; do
    # shellcheck disable=SC2086
    "$tips" eval $small --pool stride --limit 4 $full --grid-images 2 >"$work/refused" 2>&1 && complain "$full takes --grid-images 2"
    grep -q -- "--grid-images 2: with $full the grid is of all pictures" "$work/refused" || complain "$full: $(cat "$work/refused")"
done
"$tips" eval $small --pool stride --limit 24 --protocol afc --pairs 8 --json >"$work/stride.json" || complain "tips eval --protocol afc failed"
set -- $(value "$work/stride.json" circular_consistency)
[ "$1" != 100 ] || complain "stride: circular consistency is 100; the control does not work"

# Results depend on neither batch nor threads, but on the seed.
for setting in "8 1" "32 2" "5 2"; do
    set -- $setting
    "$tips" eval --arch tiny --size 16 --data shapes --quiet --pool tips --limit 24 --grid-images 4 --pairs 2 --levels --json \
        --batch "$1" --threads "$2" | grep -v seconds >"$work/run-$1"
    cmp -s "$work/run-8" "$work/run-$1" || complain "batch $1 and $2 threads give another result than batch 8 and 1 thread"
done
[ -s "$work/run-8" ] || complain "no result to compare"

# Several models: one table, one array. A file: the same as on the screen.
"$tips" init --arch tiny --pool max --size 16 --classes 100 --out "$work/max.safetensors" >/dev/null 2>&1 &&
    "$tips" init --arch tiny --pool aps --size 16 --classes 100 --out "$work/aps.safetensors" >/dev/null 2>&1 || complain "tips init failed"
models="$work/max.safetensors,$work/aps.safetensors"
expect 0 '^model .*accuracy .*std cons' eval --model "$models" --data shapes --limit 8 --grid-images 0 --threads 1
expect 0 'aps.safetensors: 8 pictures, 40 forward passes' eval --model "$models" --data shapes --limit 8 --grid-images 0 --threads 1
expect 0 '64 of them for the heat map of 8 pictures' eval --model "$work/max.safetensors" --data shapes --limit 8 --threads 1 --protocol adobe --grid-images 50 --out "$work/out.json"
"$tips" eval --model "$models" --data shapes --limit 8 --grid-images 0 --quiet --json --out "$work/two.json" --threads 1 >"$work/shown.json"
cmp -s "$work/two.json" "$work/shown.json" || complain "--out is not what --json shows"
[ "$(grep -c '"model":' "$work/two.json")" = 2 ] && [ "$(grep -c '"accuracy":' "$work/two.json")" = 3 ] || complain "two models do not give two results"
set -- $(value "$work/two.json" msb)
[ "$1" = 100 ] || complain "MSB of max is $1, not exactly 100"

# A file that cannot be written leaves the old one and nothing else. A limit on its size is a disk that is full.
mkdir "$work/kept"
echo old >"$work/kept/eval.json"
if ulimit -f 2>/dev/null >/dev/null; then
    (
        trap '' XFSZ 2>/dev/null
        ulimit -f 2 # LLVM runs no threads with less
        "$tips" eval --model "$models" --data shapes --limit 8 --quiet --threads 1 --out "$work/kept/eval.json" 2>&1 | cat
    ) | grep -q 'kept/eval.json: could not be written' || complain "that --out cannot be written is not said"
fi
expect 1 'nowhere/eval.json: cannot be written' eval --model "$models" --data shapes --limit 8 --grid-images 0 --threads 1 --out "$work/nowhere/eval.json"
[ "$(cat "$work/kept/eval.json")" = old ] || complain "an old eval.json is lost where the new one cannot be written"
[ "$(ls -A "$work/kept")" = eval.json ] || complain "--out leaves a temporary file: $(ls -A "$work/kept")"

expect 1 'nothing.safetensors' eval --model "$work/nothing.safetensors" --data shapes
expect 2 "protocol" eval --protocol tipps --data shapes
expect 1 'shapes: it cannot be opened' eval shapes

# Predictions: pictures, top, stability, sequences; arrays in and scores out.
expect 0 'colour.p[np][gm] .*0\.' predict --model "$work/max.safetensors" "$colour" "$grey" --threads 1
expect 0 'standard shifts that keep the answer' predict --model "$work/aps.safetensors" "$colour" --stability --top 3 --threads 1
expect 0 '"stability":' predict --model "$work/aps.safetensors" "$colour" --stability --json --threads 1
if ! built_with png; then expect 1 'this build reads no PNG' predict --model "$work/max.safetensors" "$images/colour.png"; fi
if ! built_with jpeg; then expect 1 'this build reads no JPEG' predict --model "$work/max.safetensors" "$images/grey.jpg"; fi
mkdir "$work/frames"
for i in 1 2 10; do cp "$colour" "$work/frames/frame$i.png"; done
expect 0 'flips 0 times in 3 frames: 0.00 %' predict --model "$work/max.safetensors" --sequence "$work/frames" --threads 1
cp "$grey" "$work/frames/frame9.png"
"$tips" predict --model "$work/max.safetensors" --sequence "$work/frames" --json --threads 1 >"$work/frames.json" || complain "tips predict --sequence failed"
[ "$(sed -n 's/.*frames\/frame\([0-9]*\).*/\1/p' "$work/frames.json" | tr '\n' ' ')" = "1 2 9 10 " ] || complain "frames are out of order"
expect 2 'name pictures' predict --model "$work/max.safetensors"
mkdir "$work/empty"
expect 1 'no frames' predict --sequence "$work/empty" --model "$work/max.safetensors"
expect 1 'frames' predict --model "$work/max.safetensors" "$work/frames"
expect 1 'missing.png' predict --model "$work/max.safetensors" "$work/missing.png"

"$tips" predict --model "$work/max.safetensors" "$colour" "$grey" --logits "$work/scores.npy" --threads 1 >/dev/null ||
    complain "tips predict --logits failed"
[ "$(wc -c <"$work/scores.npy")" = $((128 + 2 * 100 * 4)) ] || complain "the scores have $(wc -c <"$work/scores.npy") bytes"
grep -qa "'shape': (2, 100)" "$work/scores.npy" || complain "the scores have another shape"
expect 1 'is of shape (2, 100); the network takes arrays of shape (n, 3, 16, 16)' predict --model "$work/max.safetensors" "$work/scores.npy"

# An array of zeros of the right shape.
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 16, 16), }"
    head -c $((2 * 3 * 16 * 16 * 4)) /dev/zero
} >"$work/zeros.npy"
expect 0 'zeros.npy\[1\]' predict --model "$work/max.safetensors" "$work/zeros.npy" --stability --threads 1
# The last float of the second input becomes a NaN.
size=$(wc -c <"$work/zeros.npy")
{
    head -c $((size - 4)) "$work/zeros.npy"
    printf '\000\000\300\177'
} >"$work/nan.npy"
expect 1 'nan.npy\[1\]: holds values that are not finite' predict --model "$work/max.safetensors" "$work/nan.npy"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

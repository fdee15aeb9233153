#!/bin/sh
# tips convert from the outside: small networks from ONNX become exact, learn, keep what is frozen, and go back to ONNX.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

"$tips" info "$source/tests/fuzz/corpus/onnx/block13.onnx" >"$work/output" 2>&1 || {
    grep -q 'without ONNX' "$work/output" && echo "skipped: this build does not read ONNX" && exit 77
    cat "$work/output"
    exit 1
}

tensors() { "$tips" info "$1" | awk '/^tensor /{on = 1; next} on && NF == 4 && !/^-/ {print $1}'; }

for name in block13 block16 se shuffle; do
    original=$source/tests/fuzz/corpus/onnx/$name.onnx
    stable=$work/$name.safetensors
    expect 3 'Not exact' verify --model "$original" --shifts 8 --quiet
    expect 0 'then tips-exact by' convert "$original" --pool tips-exact --padding circular -o "$stable"
    expect 0 'Exact: 0 differing bits' verify --model "$stable" --shifts 16 --quiet
    expect 0 'nodes' export --model "$stable" -o "$work/$name.onnx"
    expect 0 'Exact: 0 differing bits' verify --model "$work/$name.onnx" --shifts 16 --quiet
    tensors "$original" | while read -r tensor; do
        tensors "$stable" | grep -qx -- "$tensor" || echo "$tensor"
    done >"$work/lost"
    [ ! -s "$work/lost" ] || complain "$name: the conversion lost $(cat "$work/lost")"
done

expect 0 '"operators"' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" --pool aps --json -o "$work/aps.safetensors"
# It says which padding it recommends, by what circular padding alone does to the network.
expect 0 'Recommended: --padding keep' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" -o "$work/advised.safetensors"
expect 0 'Recommended: --padding circular' convert "$source/tests/fuzz/corpus/onnx/block16.onnx" -o "$work/advised.safetensors"
expect 0 '"padding": "keep"' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" --json -o "$work/advised.safetensors"

# And takes it, unless another is asked for.
expect 0 '"keeps_padding": true' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" --json -o "$work/advised.safetensors"
expect 0 '"keeps_padding": false' convert "$source/tests/fuzz/corpus/onnx/block16.onnx" --json -o "$work/advised.safetensors"
expect 0 'Converted otherwise, as asked' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" --padding circular -o "$work/advised.safetensors"

# The command for tuning has a teacher where the network can have one.
expect 0 'train --init .*advised.safetensors --teacher .*block13.onnx --teaching 1 --mixup 1 --data SPEC' \
    convert "$source/tests/fuzz/corpus/onnx/block13.onnx" -o "$work/advised.safetensors"

# Whether it still answers as the original does is measured on pictures of the user's, and said where it is not.
expect 0 'Agreement with the original: not measured; --data SPEC' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" \
    -o "$work/agreed.safetensors"
expect 0 '"agreement": null' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" --json -o "$work/agreed.safetensors"
pictures=shapes:size=16,train=40,test=50,classes=3
expect 0 'Agreement with the original: 100.0 %.* on 50 pictures' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" \
    --pool stride --padding keep --data "$pictures" -o "$work/agreed.safetensors"
expect 0 '"pictures": 20' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" --pool stride --padding keep --data "$pictures" \
    --limit 20 --json -o "$work/agreed.safetensors"
grep -q '"percent": 100' "$work/output" && grep -q '"enough": true' "$work/output" || complain 'the same network does not agree with itself'
mkdir "$work/pictures"
cp "$source/tests/images/colour.ppm" "$work/pictures/a.ppm"
cp "$source/tests/images/colour.ppm" "$work/pictures/b.ppm"
expect 0 'on 2 pictures' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" --data "$work/pictures" -o "$work/agreed.safetensors"
expect 1 'nowhere' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" --data "$work/nowhere" -o "$work/agreed.safetensors"
# Another head makes another network of it.
expect 0 'Warning: that is below 90 %.* --padding keep, another --pool or --lpf, or tune it with the original as its teacher' \
    convert "$source/tests/fuzz/corpus/onnx/einsum.onnx" --head gap --padding circular --data "$pictures" \
    -o "$work/agreed.safetensors"

expect 2 'is a pooling operator already' convert "$work/aps.safetensors" -o "$work/twice.safetensors"
expect 2 'the MODEL to convert is missing' convert -o "$work/none.safetensors"
expect 2 'out FILE is missing' convert "$work/aps.safetensors"
"$tips" init --arch tiny --out "$work/own.safetensors" >/dev/null
expect 2 'puts another operator into it' convert "$work/own.safetensors" -o "$work/none.safetensors"

# Where the strides do not divide the size, the command says which size they divide.
for size in 31 31x64; do
    expect 0 "divides the input's size; .* it does not: use --size" convert "$source/tests/fuzz/corpus/onnx/block13.onnx" \
        --pool aps --size "$size" -o "$work/sized.safetensors"
    advised=$(sed -n 's/.*use --size \([0-9x]*\)\..*/\1/p' "$work/output")
    expect 0 'Exact under circular shifts of' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" --pool aps \
        --size "$advised" -o "$work/sized.safetensors"
done

# What is said of the input stays with the network, through training and back to ONNX.
expect 0 'then tips-exact by' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" --mean 10,20,30 --std 51 \
    --range 0..255 --bgr -o "$work/bgr.safetensors"
said='deviation 0.2 0.2 0.2, channels blue, green, red'
expect 0 "$said" info "$work/bgr.safetensors"
expect 0 'best epoch' train --init "$work/bgr.safetensors" --data shapes:size=16,train=40,test=9,classes=3 --epochs 1 \
    --batch 8 --out "$work/bgr"
expect 0 "$said" info "$work/bgr/last.safetensors"
expect 0 'nodes' export --model "$work/bgr/last.safetensors" -o "$work/bgr.onnx"
expect 0 "$said" info "$work/bgr.onnx"

# A teacher whose answers the network gives already has nothing to teach; a softer look at them, or one at labels, has.
lesson() {
    name=$1
    shift
    expect 0 'best epoch' train --init "$work/same.safetensors" --teacher "$source/tests/fuzz/corpus/onnx/block13.onnx" \
        --data shapes:size=16,train=40,test=9,classes=3 --epochs 1 --batch 8 --lr 0 --out "$work/$name" "$@"
    sed -n 's/.*"task":\([0-9.e+-]*\).*/\1/p' "$work/$name/log.jsonl"
}
expect 0 'then stride by' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" --pool stride --padding keep \
    -o "$work/same.safetensors"
nothing=$(lesson taught --teaching 1)
awk -v x="$nothing" 'BEGIN { exit !(x >= -1e-9 && x < 1e-6) }' || complain "the teacher's own network is $nothing away from it"
half=$(lesson half --teaching 0.5)
whole=$(lesson labels --teaching 0)
awk -v h="$half" -v w="$whole" 'BEGIN { exit !(w > 0.1 && h > 0.4999 * w && h < 0.5001 * w) }' ||
    complain "half of the labels' loss of $whole is not $half"
expect 1 'answers with 3 classes, the data have 4' train --init "$work/same.safetensors" --batch 8 \
    --teacher "$source/tests/fuzz/corpus/onnx/block13.onnx" --data shapes:size=16,train=40,test=9,classes=4 \
    --out "$work/no-teacher"

# Fine-tuning: the loss falls, and --freeze leaves everything but the operators as it was.
data=shapes:size=16,train=160,test=40,classes=4
expect 0 'best epoch' train --init "$work/block13.safetensors" --data "$data" --size 16 --epochs 4 --batch 8 \
    --out "$work/tuned"
# Maps of any scale: L_undo is a share of them, below 1 for a psi that begins as a centre tap, unless the plain one is asked for.
grep -q '"undo-scale": "variance"' "$work/tuned/config.json" || complain 'the scale of L_undo is not the variance'
expect 0 'best epoch' train --init "$work/block13.safetensors" --data "$data" --size 16 --epochs 1 --batch 8 \
    --undo-scale none --out "$work/plain"
grep -q '"undo-scale": "variance"' "$work/plain/config.json" && complain '--undo-scale none is not heard'
first=$(sed -n 1p "$work/tuned/log.jsonl" | sed 's/.*"task":\([0-9.]*\).*/\1/')
last=$(tail -n 1 "$work/tuned/log.jsonl" | sed 's/.*"task":\([0-9.]*\).*/\1/')
awk -v a="$first" -v b="$last" 'BEGIN { exit !(b < a) }' || complain "the loss does not fall: $first to $last"
expect 0 'Exact: 0 differing bits' verify --model "$work/tuned/last.safetensors" --shifts 16 --quiet

init=$work/tuned/last.safetensors
expect 0 'best epoch' train --init "$init" --data "$data" --epochs 1 --batch 8 --freeze --out "$work/frozen"
moved_by_freezing "$init" "$work/frozen/last.safetensors"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# No command writes over what it reads, by whatever name, and the name of a model file says its format.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
data=shapes:size=16,train=40,test=9,classes=3
picture=$source/tests/images/colour.png
cd "$work" || exit 1

"$tips" init --arch tiny --pool max --size 16 --classes 3 --out own.safetensors >/dev/null || complain "init failed"
"$tips" init --arch tiny --pool max --size 16 --classes 3 --out other.safetensors >/dev/null || complain "init failed"
ln -s own.safetensors link
ln own.safetensors hard
printf 'disc\nring\nsquare\n' >labels.txt
cp "$picture" picture.png
mkdir -p frames set/a set/b run
cp "$picture" frames/1.png
cp "$picture" set/a/1.png
cp "$picture" set/b/1.png
mkdir before
cp own.safetensors labels.txt picture.png frames/1.png before

# kept NAME ARGUMENTS...: refused as wrong usage, and all inputs are as they were.
kept() {
    expect 2 'which is read; write\|one file' "$@"
    for file in before/*; do
        cmp -s "$file" "$(basename "$file")" || [ "$file" = before/1.png ] || complain "tips $*: changed $(basename "$file")"
    done
    cmp -s before/1.png frames/1.png || complain "tips $*: changed frames/1.png"
    cmp -s before/1.png set/a/1.png || complain "tips $*: changed set/a/1.png"
}
for name in own.safetensors ./own.safetensors link hard "$work/own.safetensors" run/../own.safetensors; do
    kept init --arch tiny --size 16 --classes 3 --weights own.safetensors --out "$name"
    kept eval --model own.safetensors --data $data --limit 3 --quiet --out "$name"
    kept eval --model other.safetensors,own.safetensors --data $data --limit 3 --quiet --out "$name"
    kept audit own.safetensors --data $data --limit 3 --quiet --shifts none --junit "$name"
    kept audit own.safetensors --data $data --limit 3 --quiet --shifts none --report "$name"
    kept predict --model own.safetensors picture.png --logits "$name"
    kept export --model own.safetensors -o "$name"
done
kept eval --model own.safetensors --data $data --limit 3 --labels labels.txt --quiet --out labels.txt
kept predict --model own.safetensors picture.png --logits picture.png
kept predict --model own.safetensors --sequence frames --logits frames/1.png
kept audit own.safetensors --data $data --limit 3 --quiet --shifts none --junit one.xml --report one.xml
kept eval --model own.safetensors --data set --quiet --out set/a/1.png
kept eval --model own.safetensors --data folder:set --quiet --out set/a/1.png
kept data info set --sheet set/a/1.png
cp own.safetensors run/best.safetensors
kept train --init run/best.safetensors --data $data --epochs 1 --batch 8 --threads 1 --out run
cmp -s own.safetensors run/best.safetensors || complain "a run wrote over the model it starts from"
printf '{}' >run/eval.json
kept report run --out run/eval.json
kept report run --out run/best.safetensors

# A name that says another format.
expect 2 'name it .onnx' export --model own.safetensors -o new.safetensors
[ ! -e new.safetensors ] || complain "a refused export wrote a file"
expect 0 'parameters' init --arch tiny --size 16 --classes 3 --out capital.SAFETENSORS
expect 0 'tiny' info capital.SAFETENSORS

"$tips" export --model own.safetensors -o own.onnx >output 2>&1 || {
    grep -q 'without ONNX' output || complain "$(cat output)"
    expect 1 'without ONNX' init --arch tiny --size 16 --classes 3 --out x.onnx
    echo "ONNX files are left out"
    exit $((failures > 0))
}
cp "$source/tests/fuzz/corpus/onnx/block13.onnx" m.onnx
ln -s m.onnx m-link.onnx
cp own.onnx m.onnx before
for name in m.onnx m-link.onnx "$work/m.onnx"; do
    kept convert m.onnx -o "$name"
    kept export --model m.onnx -o "$name"
done
is_onnx() { [ "$(od -An -tx1 -N1 "$1" | tr -d ' ')" = 08 ] || complain "$1 is no ONNX file"; }
expect 0 'then aps by' convert m.onnx --pool aps --padding circular -o stable.onnx
is_onnx stable.onnx
expect 0 '^Exact' verify --model stable.onnx --shifts 8 --threads 1 --quiet
expect 0 'then aps by' convert m.onnx --pool aps --padding circular -o stable.safetensors
expect 0 '^Exact' verify --model stable.safetensors --shifts 8 --threads 1 --quiet
expect 0 'graph with aps' train --init stable.onnx --data $data --epochs 1 --batch 8 --threads 1 --out tuned
expect 0 'parameters' init --arch tiny --pool aps --size 16 --classes 3 --out fresh.onnx
is_onnx fresh.onnx
expect 0 'aps' info fresh.onnx
expect 0 'parameters' init --arch tiny --pool aps --size 16 --classes 3 --out CAPITAL.ONNX
is_onnx CAPITAL.ONNX
expect 0 'aps' info CAPITAL.ONNX
exit $((failures > 0))

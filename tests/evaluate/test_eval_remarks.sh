#!/bin/sh
# What a reader must know of an evaluation: that all answers are alike, which pictures were measured, that the model learned from them, and that
# it was interrupted.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
data=shapes:size=16,train=60,test=30,classes=3
cd "$work" || exit 1

# A network whose classifier says the same of everything: its weights are nought.
"$tips" init --arch tiny --pool max --size 16 --classes 3 --out fresh.safetensors >/dev/null || complain "init failed"
python3 - <<'END' || { echo "there is no python3"; exit 77; }
import json, struct
data = bytearray(open("fresh.safetensors", "rb").read())
start = 8 + struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:start])
for name in ("fc.weight", "fc.bias"):
    begin, end = header[name]["data_offsets"]
    data[start + begin:start + end] = bytes(end - begin)
for key in ("tips.xxh64", "tips.summed"):
    header["__metadata__"].pop(key, None)
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open("alike.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data[start:])
END
alike="The same answer, 'disc', is given to 100.00 % of the pictures, while no answer is right for more than"
expect 0 "$alike" eval --model alike.safetensors --data $data --threads 1 --quiet
expect 0 "alike.safetensors: $alike" eval --model fresh.safetensors,alike.safetensors --data $data --threads 1 --quiet
expect 0 "$alike" audit alike.safetensors --data $data --threads 1 --report page.html
grep -q 'The same answer' page.html || complain "the page does not say that answers are alike"
"$tips" eval --model alike.safetensors --data $data --threads 1 --quiet --json >alike.json
grep -q '"answer_share": 100' alike.json || complain "JSON has no share of the most frequent answer"
grep -q '"label_share": [34]' alike.json || complain "JSON has no share of the most frequent label"
# As a warning on standard error too, and in JSON by name.
"$tips" eval --model alike.safetensors --data $data --threads 1 --quiet --json >alike.json 2>warnings
grep -q "^tips: warning: $alike" warnings || complain "no warning on standard error: $(cat warnings)"
tr -d '\n' <alike.json | grep -q '"warnings": \[ *{ *"name": "constant_answers", *"text": "The same' || complain "JSON has no warning"
"$tips" eval --model fresh.safetensors,alike.safetensors --data $data --threads 1 --quiet 2>warnings >/dev/null
grep -q "^tips: warning: alike.safetensors: $alike" warnings || complain "the warning does not name the model"
"$tips" audit alike.safetensors --data $data --threads 1 --quiet 2>warnings >/dev/null
grep -q "^tips: warning: $alike" warnings || complain "audit does not warn on standard error"
# Data of one class alone: the same answer to all may be right.
mkdir -p alone/a alone/b
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do cp "$source/tests/images/colour.ppm" alone/a/$i.ppm; done
"$tips" init --arch tiny --pool max --size 16 --classes 2 --out two.safetensors >/dev/null
expect 0 'all, 19 pictures' eval --model two.safetensors --data alone --threads 1 --quiet --no-msb --grid-images 0
! grep -q 'The same answer' output || complain "an answer that may be right is complained about"
# Of one class mostly: who says it of all pictures has not been seen to tell the others apart.
cp "$source/tests/images/colour.ppm" alone/b/1.ppm
expect 0 'The same answer.*95.00 %.*Its consistency means nothing' eval --model two.safetensors --data alone --threads 1 --quiet --no-msb --grid-images 0

# Which pictures: all of a folder that is not divided, and those that a model learned from.
mkdir -p set/a set/b
for i in 1 2 3 4 5 6 7 8 9 10; do
    cp "$source/tests/images/colour.ppm" set/a/$i.ppm
    cp "$source/tests/images/grey.pgm" set/b/$i.pgm
done
expect 0 'best epoch' train --data set --arch tiny --size 16 --epochs 1 --batch 4 --seed 3 --threads 1 --out run
model=run/best.safetensors
learned='trained on this data: pictures that it learned from are among those measured'
quick="--threads 1 --quiet --no-msb --grid-images 0"
silent() {
    expect 0 'accuracy' "$@"
    ! grep -q "$learned" output || complain "tips $*: says that the model learned from what it did not"
}
chosen='warning: The training chose its best epoch by these 2 validation pictures'
val='Figures are of 2 validation pictures of .*set, held out of its training pictures: the same that chose the best epoch.'
for data_of_it in set "$work/set" folders:set; do
    expect 0 "$val" audit $model --data $data_of_it --threads 1 --no-msb --shifts none
    expect 0 "$chosen" audit $model --data $data_of_it --threads 1 --no-msb --shifts none
    expect 0 "$val" eval --model $model --data $data_of_it $quick
    expect 0 "$chosen" eval --model $model --data $data_of_it $quick
    expect 0 "$val" attack $model --data $data_of_it --attack fgsm --threads 1 --quiet
    expect 0 "$chosen" attack $model --data $data_of_it --attack fgsm --threads 1 --quiet
    expect 0 "$learned" audit $model --data $data_of_it --whole --threads 1 --no-msb --shifts none
done
expect 0 "$learned" eval --model $model --data set --whole $quick
expect 0 "$learned" eval --model $model --data set --split train $quick
expect 0 "$val" eval --model $model --data set --seed 4 $quick
expect 0 ', val, 2 pictures' eval --model $model --data set --seed 3 $quick
expect 0 '"split": "validation"' eval --model $model --data set --json $quick
expect 0 '"chosen_on": true' eval --model $model --data set --json $quick
expect 0 '"name": "validation_as_test"' eval --model $model --data set --json $quick
# Of a set that no model was trained on, everywhere the same: all pictures, unless it names its splits.
all="Figures are of all 20 pictures of set, which names no split."
expect 0 "$all" audit two.safetensors --data set --threads 1 --no-msb --shifts none
expect 0 "$all" eval --model two.safetensors --data set $quick
expect 0 "$all" eval --arch tiny --data set $quick
expect 0 "$all" attack two.safetensors --data set --attack fgsm --threads 1 --quiet
expect 0 "Figures are of 5 of the 20 pictures of set, which names no split." eval --model two.safetensors --data set --limit 5 $quick
expect 0 '"split": "all"' eval --model two.safetensors --data set --json $quick
expect 0 '"chosen_on": false' eval --model two.safetensors --data set --json $quick
expect 0 'Figures are of 2 validation pictures of set, held out of its training pictures.' eval --model two.safetensors --data set --split val $quick
expect 0 'Figures are of 30 test pictures of shapes.' eval --model fresh.safetensors --data $data $quick
mkdir named
cp -r set named/train
cp -r set named/val
expect 0 'Figures are of 20 validation pictures of named.' eval --model two.safetensors --data named $quick
expect 0 'Figures are of 20 validation pictures of named.' audit two.safetensors --data named --threads 1 --no-msb --shifts none
# A comparison, too.
expect 0 'Percent of 2 validation pictures of set, held out of its training pictures: the same that chose the best epoch' \
    compare --data set --arch tiny --size 16 --epochs 1 --batch 4 --pool max --seeds 1 --threads 1 --grid-images 0 --out compared
expect 0 'warning: The best epochs were chosen by the pictures that the figures are of' \
    compare --data set --arch tiny --size 16 --epochs 1 --batch 4 --pool max --seeds 1 --threads 1 --grid-images 0 --out compared
grep -q '"validation_as_test"' compared/compare.json || complain "compare.json has no warning"
# And a study.
if built_with yaml; then
    printf 'title: One model\nbase: {data: set, arch: tiny, size: 16, epochs: 1, batch: 4}\nvary: {pool: [max]}\nanalysis: [{kind: table, rows: [pool]}]\n' >grid.yaml
    expect 0 'warning: The best epochs of 1 models were chosen by the pictures that their figures are of' study grid.yaml --out study
    grep -q '"validation_as_test"' study/study.json || complain "study.json has no warning"
    grep -q 'The best epochs of 1 models' study/study.html || complain "the page of a study has no warning"
fi
expect 0 'Percent of 30 test pictures of shapes' \
    compare --data $data --arch tiny --epochs 1 --batch 4 --pool max --seeds 1 --threads 1 --grid-images 0 --out tested
! grep -q warning output || complain "test pictures are warned of"
silent eval --model $model --data set --seed 3 $quick
cp -r set other
silent eval --model $model --data other --whole $quick
silent eval --model two.safetensors --data set --whole $quick
expect 0 '"own_training_pictures": true' eval --model $model --data set --whole --json $quick
expect 0 '"own_training_pictures": false' eval --model $model --data set --seed 3 --json $quick

# Ctrl-C: what there is, marked. The picture batches are small, so that a few are done soon.
# Where it comes before the first of them is done, it comes later the next time.
interrupt() {
    out=$1
    shift
    for seconds in 1 4 16 60; do
        "$tips" "$@" >"$out" 2>errors &
        process=$!
        sleep $seconds
        kill -INT $process 2>/dev/null
        wait $process
        got=$?
        ! grep -qi 'interrupted' "$out" || break
    done
    [ $got -eq 130 ] || complain "tips $*: exit code $got after Ctrl-C, not 130: $(cat errors)"
}
long="--data shapes:size=32,test=100000 --threads 1 --batch 1 --no-msb"
"$tips" init --arch tiny --pool max --classes 10 --out ten.safetensors >/dev/null
interrupt eval.txt eval --model ten.safetensors $long --grid-images 0 --out eval.json
grep -q 'Interrupted: [0-9]* of 100000 pictures were evaluated' eval.txt || complain "eval does not say that it was interrupted"
grep -q '"interrupted": true' eval.json || complain "eval --out is not marked"
grep -q '"images_wanted": 100000' eval.json || complain "eval --out does not say how many pictures there should be"
interrupt several.json eval --model ten.safetensors,ten.safetensors $long --grid-images 0 --json
grep -q '"interrupted": true' several.json || complain "eval of several models is not marked"
interrupt audit.json audit ten.safetensors $long --grid-images 0 --require 'accuracy>=0' --junit junit.xml --report page.html --json
grep -q '"interrupted": true' audit.json || complain "audit is not marked"
grep -q '"ok": false' audit.json || complain "an interrupted audit is ok"
grep -q 'name="interrupted" value="true"' junit.xml || complain "JUnit's file is not marked"
grep -q 'Interrupted: ' page.html || complain "the page is not marked"
interrupt verify.txt verify --arch resnet18 --width 16 --pool max --size 64 --threads 1
grep -q 'Interrupted: [0-9]* of 4096 shifts were tried' verify.txt || complain "verify does not say that it was interrupted"
interrupt verify.json verify --arch resnet18 --width 16 --pool max --size 64 --threads 1 --json
grep -q '"interrupted": true' verify.json || complain "verify --json is not marked"
exit $((failures > 0))

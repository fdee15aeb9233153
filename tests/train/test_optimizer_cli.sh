#!/bin/sh
# --optimizer on the command line: rates that nobody gave, recipes, going on, comparing, mistakes.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
data='shapes:size=16,train=64,test=16,classes=4'
options="--data $data --arch tiny --batch 16 --epochs 1"
# shellcheck disable=SC2086 # the options are words
train() { "$tips" train $options "$@" >"$work/output" 2>&1 || complain "tips train $*: $(cat "$work/output")"; }
# says RUN LINE...: config.json of a run has these lines.
says() {
    run=$1
    shift
    for line in "$@"; do
        grep -qF "    $line," "$work/$run/config.json" || complain "$run: config.json does not say $line: $(grep -E 'lr|decay|optim' "$work/$run/config.json")"
    done
}

expect 0 '^sgd .*--lr 0.05 and --weight-decay 1e-4' list optimizers
expect 0 '^adamw .*--lr 0.001 and --weight-decay 0.01' list optimizers
expect 0 '^adamw:beta2 *0..0.999999 *0.999 ' list optimizers
expect 0 '"name": "beta1"' list optimizers --json
expect 0 "'tips list *optimizers'" train --help

# The rates are the optimiser's own unless somebody says otherwise.
train --out "$work/sgd"
says sgd '"optimizer": "sgd"' '"lr": 0.05' '"weight-decay": 0.0001'
train --optimizer adamw --out "$work/adamw"
says adamw '"optimizer": "adamw"' '"lr": 0.001' '"weight-decay": 0.01'
train --optimizer adamw --lr 0.004 --out "$work/rate"
says rate '"lr": 0.004' '"weight-decay": 0.01'
train --optimizer adamw:beta1=0.8 --weight-decay 1e-4 --exempt-norms --out "$work/decay"
says decay '"optimizer": "adamw:beta1=0.8"' '"lr": 0.001' '"weight-decay": 0.0001' '"exempt-norms": true'
cmp -s "$work/sgd/best.safetensors" "$work/adamw/best.safetensors" && complain "adamw trains what sgd trains"
expect 0 '^training .*optimizer adamw:beta1=0.8' info "$work/decay/best.safetensors"

# Going on: the options are those the run began with, and the bits those of a run that never stopped. What SGD leaves is
# what it left before there was a choice.
expect 0 '^exp_avg_sq/conv1.weight ' info "$work/adamw/checkpoint.safetensors"
expect 0 '^momentum/conv1.weight ' info "$work/sgd/checkpoint.safetensors"
grep -q 'option.optimizer' "$work/sgd/checkpoint.safetensors" && complain "the checkpoint of SGD says something of its optimiser"
train --optimizer adamw --epochs 3 --out "$work/whole"
# shellcheck disable=SC2086
"$tips" train $options --optimizer adamw --epochs 3 --save-every 0.0001 --out "$work/killed" >/dev/null 2>&1 &
pid=$!
while [ ! -s "$work/killed/log.jsonl" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
kill -9 "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
[ $? -eq 137 ] || echo "the run had ended before it was killed"
"$tips" train --out "$work/killed" --resume >"$work/output" 2>&1 || complain "going on failed: $(cat "$work/output")"
for file in best.safetensors last.safetensors; do
    cmp "$work/whole/$file" "$work/killed/$file" || complain "$file is not that of a run that never stopped"
done
expect 2 '--optimizer was adamw when the run in .* began and is sgd now' train --out "$work/adamw" --resume --optimizer sgd
expect 2 '--optimizer was sgd when the run in .* began and is adamw now' train --out "$work/sgd" --resume --optimizer adamw
expect 0 'best epoch 1' train --out "$work/sgd" --resume --optimizer sgd

# Recipes may say it, with rates or without; flags come before them.
printf 'optimizer: adamw\narch: tiny\n' >"$work/adamw.yaml"
if "$tips" train "$work/adamw.yaml" --data "$data" --epochs 1 --batch 16 --out "$work/recipe" >"$work/output" 2>&1; then
    says recipe '"optimizer": "adamw"' '"lr": 0.001' '"weight-decay": 0.01'
    train "$work/adamw.yaml" --optimizer sgd --out "$work/flag"
    says flag '"optimizer": "sgd"' '"lr": 0.05' '"weight-decay": 0.0001'
    printf 'lr: 0.02\nmomentum: 0.9\n' >"$work/rates.yaml"
    train "$work/rates.yaml" --optimizer adamw --out "$work/rates"
    says rates '"lr": 0.02' '"weight-decay": 0.01'
    printf 'optimizer: adam\n' >"$work/bad.yaml"
    expect 2 "unknown optimiser 'adam'; did you mean 'adamw'?" train "$work/bad.yaml" --data "$data" --out "$work/none"
elif grep -q libyaml "$work/output"; then
    echo "this build has no libyaml: recipes are not tested"
else
    complain "a recipe failed: $(cat "$work/output")"
fi

# Detectors begin with an optimiser of their own, and a run that goes on with that it began with, said or not.
boxes='--data shapes:size=64,train=12,test=4,classes=3,objects=1 --arch retinanet --width 8 --epochs 1'
# shellcheck disable=SC2086
for run in own said; do
    set -- --out "$work/boxes-$run"
    [ "$run" = own ] || set -- --optimizer sgd --lr 1e-4 "$@"
    "$tips" train $boxes "$@" >"$work/output" 2>&1 || complain "a detector did not train: $(cat "$work/output")"
    "$tips" train --resume --out "$work/boxes-$run" >"$work/output" 2>&1 || complain "a detector did not go on: $(cat "$work/output")"
    "$tips" train $boxes "$@" --resume >"$work/output" 2>&1 || complain "a detector did not go on as it was called: $(cat "$work/output")"
done
says boxes-own '"optimizer": "adamw"' '"lr": 0.001' '"clip": 1' '"batch": 4' '"schedule": "cosine"'
says boxes-said '"optimizer": "sgd"' '"lr": 0.0001' '"weight-decay": 0.0001' '"clip": 1'
if [ -f "$work/recipe/config.json" ]; then
    printf 'arch: fasterrcnn\nwidth: 8\nbatch: 2\ndata: shapes:size=64,train=8,test=4,classes=3,objects=1\n' >"$work/regions.yaml"
    "$tips" train "$work/regions.yaml" --epochs 1 --clip 2 --out "$work/regions" >"$work/output" 2>&1 || complain "a recipe of a detector failed: $(cat "$work/output")"
    says regions '"optimizer": "adamw"' '"lr": 0.001' '"clip": 2' '"batch": 2'
fi

# Networks from elsewhere take small steps with either.
if "$tips" convert "$source/tests/fuzz/corpus/onnx/block13.onnx" -o "$work/converted.safetensors" >"$work/output" 2>&1; then
    set -- --init "$work/converted.safetensors" --data 'shapes:size=16,train=40,test=9,classes=3' --size 16 --epochs 1 --batch 8
    "$tips" train "$@" --out "$work/careful" >/dev/null 2>&1 || complain "training a converted network failed"
    says careful '"lr": 0.01' '"weight-decay": 0.0001' '"clip": 1'
    "$tips" train "$@" --optimizer adamw --out "$work/careful-adamw" >/dev/null 2>&1 || complain "training it with adamw failed"
    says careful-adamw '"lr": 0.0002' '"weight-decay": 0.01' '"clip": 1'
fi

# Comparing.
"$tips" compare --data "$data" --arch tiny --batch 16 --epochs 1 --limit 8 --grid-images 0 --pool max,aps --optimizer adamw --out "$work/compare" \
    >"$work/output" 2>&1 || complain "tips compare --optimizer failed: $(cat "$work/output")"
says compare/aps/seed-1 '"optimizer": "adamw"' '"lr": 0.001'

# Mistakes.
expect 2 "unknown optimiser 'sdg'; did you mean 'sgd'? There are sgd, adamw" train --data "$data" --optimizer sdg --out "$work/none"
expect 2 "unknown option 'beta' of adamw; did you mean 'beta1'?" train --data "$data" --optimizer adamw:beta=1 --out "$work/none"
expect 2 '--momentum 0.8 is not for adamw, which has beta1 in its place: write --optimizer adamw:beta1=0.8' \
    train --data "$data" --optimizer adamw --momentum 0.8 --out "$work/none"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# tips attack by what it prints: figures, independence of batch and threads, JSON, charts and examples, and the same as options of eval and audit.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

"$tips" init --arch tiny --pool tips-exact --size 16 --classes 10 --out "$work/exact.safetensors" >/dev/null 2>&1 || complain "tips init failed"
model=$work/exact.safetensors
data="--data shapes:classes=10 --limit 12 --threads 1 --quiet"

# figure FILE NAME KEY: the value of a figure of the case NAME, or of "clean".
figure() {
    python3 - "$@" <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
case = r["clean"] if sys.argv[2] == "clean" else next(c for c in r["attacks"] + r["corruptions"] if c["name"] == sys.argv[2])
print(f'{case[sys.argv[3]]["value"]:.6g}')
END
}

# Nothing done is nothing changed; tips-exact stays exact under circular shifts of attacked pictures.
cases="--attack fgsm:eps=0+8/255,pgd:norm=l2,eps=0.5,steps=3,restarts=2;patch:size=1/4 --corrupt shot_noise:2,brightness:5"
# shellcheck disable=SC2086
"$tips" attack "$model" $data $cases --json --out "$work/out.json" >"$work/a.json" || complain "tips attack failed"
cmp -s "$work/out.json" "$work/a.json" || { [ "$(cat "$work/out.json")" = "$(cat "$work/a.json")" ] || complain "--out is not what --json shows"; }
if command -v python3 >/dev/null; then
    for key in accuracy standard_consistency circular_fidelity; do
        [ "$(figure "$work/a.json" clean $key)" = "$(figure "$work/a.json" fgsm_linf_0 $key)" ] || complain "an attack of strength 0 changes $key"
    done
    for name in fgsm_linf_8_255 pgd_l2_0.5 patch_1_4 shot_noise_2 brightness_5; do
        [ "$(figure "$work/a.json" $name circular_consistency)" = 100 ] || complain "$name: tips-exact is not consistent under circular shifts"
    done
fi
grep -q '"comparable_with_published": false' "$work/a.json" || complain "the warning about corruptions on the fly is missing"
grep -q '"frost": "procedural"' "$work/a.json" || complain "nothing says what frost is"
grep -q '"mce": null' "$work/a.json" || complain "mCE of 10 classes"

# Batch and threads change nothing; the seed does.
for setting in "5 2" "12 1"; do
    set -- $setting
    # shellcheck disable=SC2086
    "$tips" attack "$model" --data shapes:classes=10 --limit 12 --quiet $cases --json --batch "$1" --threads "$2" | grep -v seconds >"$work/run-$1"
done
grep -v seconds "$work/a.json" >"$work/run-32"
cmp -s "$work/run-5" "$work/run-12" && cmp -s "$work/run-5" "$work/run-32" || complain "batch or threads change the result"

# Nor does it matter beside which pictures one is attacked, when some are wrong before the last restart.
two="--data shapes:size=16,train=120,test=24,classes=2"
# shellcheck disable=SC2086
"$tips" train --arch tiny --width 4 --pool max $two --epochs 3 --batch 12 --threads 1 --out "$work/two" >/dev/null 2>&1 || complain "tips train failed"
for batch in 1 7 24; do
    # shellcheck disable=SC2086
    "$tips" attack "$work/two/best.safetensors" $two --quiet --threads 1 --attack pgd:eps=3/255+4/255+5/255+6/255,steps=3,restarts=4 --json --batch $batch | grep -v seconds >"$work/beside-$batch"
done
cmp -s "$work/beside-1" "$work/beside-7" && cmp -s "$work/beside-1" "$work/beside-24" || complain "restarts depend on the batch"

# Tables, charts and pictures.
# shellcheck disable=SC2086
if [ -d /proc/self ]; then
    expect 1 'cannot be made' attack "$model" $data --attack fgsm --charts /proc/nowhere/charts
    grep -q fgsm_linf "$work/output" && complain "a folder that cannot be made is told after the run"
fi
# shellcheck disable=SC2086
expect 0 'clean .*' attack "$model" $data --attack fgsm:eps=4/255 --no-attack-shifts
expect 0 'fgsm_linf_4_255 .* -  *-' attack "$model" $data --attack fgsm:eps=4/255 --no-attack-shifts
expect 0 'not comparable' attack "$model" $data --corrupt contrast --charts "$work/charts"
[ -s "$work/charts/corruptions.svg" ] || complain "there is no chart of corruptions"
if built_with png; then
    expect 0 'patch_1_2' attack "$model" $data --attack patch:size=1/2 --examples "$work/rows.png" --example-count 2 --charts "$work/charts"
    [ -s "$work/rows.png" ] && [ -s "$work/charts/patch-1.svg" ] || complain "no pictures or no chart of patches"
fi
expect 0 'gaussian_blur' list corruptions
expect 0 'pgd:restarts' list attacks

# What is refused, before anything is opened.
expect 2 'name the model' attack --data shapes --attack fgsm
expect 2 'say what to do' attack "$model" --data shapes
expect 2 "did you mean 'pgd'" attack "$work/nothing.onnx" --data shapes --attack pgb
expect 2 "1 to 5" attack "$work/nothing.onnx" --data shapes --corrupt fog:7
mkdir "$work/empty"
expect 1 "has no pictures of frost" attack "$model" $data --corrupt frost:1 --frost "$work/empty"
expect 2 'eps=2 is more than 1, all that a pixel has; write eps=2/255' attack "$work/nothing.onnx" --data shapes --attack fgsm:eps=2
expect 2 'eps is there twice' attack "$work/nothing.onnx" --data shapes --attack fgsm:eps=1/255,eps=2/255
expect 2 "something is missing behind '+'" attack "$work/nothing.onnx" --data shapes --attack fgsm:eps=1/255+
expect 2 "something is missing behind ':'" attack "$work/nothing.onnx" --data shapes --attack fgsm:
expect 0 'fgsm_l2_2' attack "$model" $data --attack fgsm:norm=l2,eps=2 --no-attack-shifts
# shellcheck disable=SC2086
expect 2 'size=500 is more than the 16 pixels of the input' attack "$model" $data --attack patch:size=500
expect 2 'size=0.01 is less than half a pixel' attack "$model" $data --attack patch:size=0.01
# What an open model shows is told before the first picture, in eval and audit too.
"$tips" init --arch retinanet --backbone resnet18 --width 4 --size 64 --classes 3 --out "$work/boxes.safetensors" >/dev/null 2>&1 || complain "tips init of a detector failed"
for command in "attack $work/boxes.safetensors" "eval --model $work/boxes.safetensors" "audit $work/boxes.safetensors --shifts none"; do
    # shellcheck disable=SC2086
    expect 1 'the loss of task detect cannot be followed to the pixels' $command --data shapes:size=64,train=6,test=2000,classes=3 --threads 1 --attack patch,fgsm
    grep -q 'forward passes' "$work/output" && complain "$command evaluated pictures first"
    # shellcheck disable=SC2086
    expect 1 "has no pictures of frost" $command --data shapes:size=64,train=6,test=2000,classes=3 --threads 1 --corrupt frost:1 --frost "$work/empty"
done

# Options of eval and audit; requirements by the names of the cases.
"$tips" eval --model "$model" --data shapes:classes=10 --limit 8 --grid-images 0 --threads 1 --quiet --attack fgsm:eps=1/255 --corrupt fog:1 --json >"$work/eval.json" ||
    complain "tips eval --attack failed"
grep -q '"name": "fgsm_linf_1_255"' "$work/eval.json" && grep -q '"corruption_summary"' "$work/eval.json" || complain "tips eval has no attacks in its JSON"
expect 0 'pictures attacked or corrupted' eval --model "$model" --data shapes:classes=10 --limit 8 --grid-images 0 --threads 1 --quiet --attack fgsm:eps=1/255
audit="audit $model --data shapes:classes=10 --limit 8 --pairs 1 --grid-images 0 --shifts none --threads 1 --attack fgsm:eps=2/255 --corrupt fog:1"
# shellcheck disable=SC2086
{
    expect 0 'PASSED: all 3' $audit --require 'fgsm_linf_2_255>=0,fgsm_linf_2_255:circular_consistency==100,fog_1>=0'
    expect 3 'FAILED: 1 of 1' $audit --require 'fgsm_linf_2_255>=99.9'
    expect 3 'mce <= 80 .*not measured' $audit --require 'mce<=80'
    expect 2 "unknown metric 'fgsm_linf_4_255'; of what is attacked fgsm_linf_2_255" $audit --require 'fgsm_linf_4_255>=1'
    expect 2 "in percent" $audit --require 'fgsm_linf_2_255>=0.9'
}
"$tips" $audit --quiet --json --require 'fog_1>=0' >"$work/audit.json" || complain "tips audit --json failed"
grep -q '"required": "fog_1 >= 0"' "$work/audit.json" && grep -q '"attacks"' "$work/audit.json" || complain "tips audit has no attacks in its JSON"

grep -q '"command": "tips eval .* --attack fgsm:eps=1/255 --corrupt fog:1"' "$work/eval.json" || complain "the command of tips eval lacks its attacks: $(grep '"command"' "$work/eval.json")"
again=$(sed -n 's/.*"command": "tips \(.*\)",*$/\1/p' "$work/a.json" | sed 's/\\"/"/g')
eval "\"$tips\" $again --quiet --threads 1 --json" 2>/dev/null | grep -v 'seconds\|"command"' >"$work/again"
grep -v 'seconds\|"command"' "$work/a.json" | cmp -s - "$work/again" || complain "the command in the JSON does not do the same again: $again"
expect 0 'mean error over 2 corruptions: [0-9.]*; weather' attack "$model" $data --corrupt 'fog;snow' --no-attack-shifts

# Ctrl-C in the first attack: the figures of unchanged pictures are there.
for command in "attack $model" "eval --model $model --grid-images 0" "audit $model --shifts none --grid-images 0"; do
    # shellcheck disable=SC2086
    "$tips" $command --data shapes:classes=10 --limit 12 --threads 1 --attack pgd:steps=100000,eps=2/255,restarts=1 --json >"$work/stopped.json" 2>"$work/progress" &
    process=$!
    for nth in $(seq 300); do
        ! grep -q ' [0-9]\{7\} forward passes' "$work/progress" || break # those of the attack
        sleep 0.1
    done
    sleep 1
    kill -INT $process
    wait $process
    [ $? -eq 130 ] && grep -q 'interrupted": true' "$work/stopped.json" && grep -q '"accuracy"' "$work/stopped.json" || complain "Ctrl-C in the first attack of tips $command loses what was measured"
done

exit $((failures > 0))

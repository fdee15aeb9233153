#!/bin/sh
# A network and a teacher that are one function have nothing to teach each other, however little their files say of how they take
# pictures; what is guessed is said, and what options say counts.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
built_with protobuf-c || { echo "skipped: this build does not read ONNX"; exit 77; }
command -v python3 >/dev/null || { echo "there is no python3 to read config.json"; exit 77; }
foreign=$source/tests/fuzz/corpus/onnx/block13.onnx
cd "$work" || exit 1

# loss NAME ARGUMENTS...: what a step without learning has to learn from the teacher alone.
loss() {
    name=$1
    shift
    "$tips" train --data shapes:size=16,train=40,test=9,classes=3 --epochs 1 --batch 8 --lr 0 --teaching 1 --threads 1 --out "$name" "$@" \
        >"$name.text" 2>&1 || complain "tips train $*: $(cat "$name.text")"
    sed -n 's/.*"task":\([0-9.e+-]*\).*/\1/p' "$name/log.jsonl"
}
nothing() {
    lost=$(loss "$@")
    awk -v x="$lost" 'BEGIN { exit !(x != "" && x >= -1e-9 && x < 1e-9) }' || complain "$1: one function is '$lost' away from itself"
}
something() {
    lost=$(loss "$@")
    awk -v x="$lost" 'BEGIN { exit !(x > 1e-6) }' || complain "$1: '$lost' to learn where the inputs differ"
}
# said NAME PATTERN: what train says before it begins.
said() { grep -q -- "$2" "$1.text" || complain "$1: '$2' is not said: $(cat "$1.text")"; }
silent() { ! grep -q 'guessed' "$1.text" || complain "$1: a guess is said where there is none: $(cat "$1.text")"; }
# source_is NAME PLACE SOURCE: who says it, in config.json.
source_is() {
    python3 - "$@" <<'END' || complain "$1: config.json does not say that the input of the $2 is $3"
import json, sys
config = json.load(open(sys.argv[1] + "/config.json"))
sys.exit(config[sys.argv[2]]["input"]["source"] != sys.argv[3])
END
}

"$tips" convert "$foreign" --pool stride --padding keep --range -1..1 -o said.safetensors >/dev/null 2>&1
"$tips" convert "$foreign" --pool stride --padding keep -o unsaid.safetensors >/dev/null 2>&1
"$tips" convert "$foreign" --pool stride --padding keep --range 0..255 --mean 10,20,30 --std 40,50,60 --bgr -o bgr.safetensors >/dev/null 2>&1

nothing both --init "$foreign" --teacher "$foreign"
said both "warning: --init .*guessed, ImageNet's .*give --range, --mean and --std"
said both "warning: --teacher .*guessed, ImageNet's .*give --teacher-range, --teacher-mean and --teacher-std"
source_is both network guessed
source_is both teacher guessed
# The teacher's file says nothing, the network's does: the recipe of 'tips convert'.
nothing known --init said.safetensors --teacher "$foreign"
said known 'warning: --teacher .*guessed, mean 0.5, 0.5, 0.5 and deviation 0.5'
source_is known network file
source_is known teacher guessed
nothing swapped --init bgr.safetensors --teacher "$foreign"
# And the other way round.
nothing turned --init "$foreign" --teacher said.safetensors
said turned 'warning: --init .*guessed, mean 0.5, 0.5, 0.5 and deviation 0.5'
source_is turned network guessed
source_is turned teacher file
# Options say it.
nothing given --init "$foreign" --range -1..1 --teacher said.safetensors
silent given
source_is given network given
nothing its --init said.safetensors --teacher "$foreign" --teacher-range 0..255 --teacher-mean 127.5 --teacher-std 127.5
silent its
source_is its teacher given
nothing all --init unsaid.safetensors --range -1..1 --teacher "$foreign" --teacher-mean 0.5 --teacher-std 0.5
silent all
nothing blue --init "$foreign" --bgr --range 0..255 --teacher "$foreign" --teacher-bgr --teacher-range 0..255
silent blue
# That the options do something.
something other --init said.safetensors --teacher "$foreign" --teacher-range 0..255
something red --init "$foreign" --range 0..255 --teacher "$foreign" --teacher-bgr --teacher-range 0..255
# A guess stays one in the models that come of it, and what was said is stored.
expect 0 'guessed, ImageNet' info both/last.safetensors
expect 0 '"source": "file"' info given/last.safetensors --json
expect 0 'mean 0.5 0.5 0.5, deviation 0.5 0.5 0.5$' info given/last.safetensors
# Without a model to start from mean and deviation are measured, unless options say them.
shapes="--data shapes:size=16,train=40,test=9,classes=3 --epochs 1 --batch 8 --arch tiny --threads 1"
expect 0 'best epoch' train $shapes --out measured
source_is measured network measured
expect 0 'best epoch' train $shapes --range -1..1 --out own
source_is own network given
expect 0 'mean 0.5 0.5 0.5, deviation 0.5 0.5 0.5' info own/best.safetensors
# It goes on with what it began with, and with nothing else.
expect 0 'best epoch' train --out own --resume
expect 2 'range' train --out own --resume --range 0..255
exit $((failures > 0))

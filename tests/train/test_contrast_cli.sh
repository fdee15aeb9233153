#!/bin/sh
# Contrastive learning on the command line: two runs are the same, a run that was killed goes on to the same bits, a linear
# classifier learns on the frozen encoder and moves nothing else, mistakes.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
data='shapes:size=16,train=32,test=16,classes=3'
options="--data $data --arch tiny --width 4 --batch 8 --epochs 2 --threads 1"
# shellcheck disable=SC2086 # the options are words
learn() { "$tips" train $options --task contrast:kind=supcon --shift both "$@" >"$work/output" 2>&1 || complain "tips train $*: $(cat "$work/output")"; }
same() { for file in best.safetensors last.safetensors; do cmp "$work/$1/$file" "$work/$2/$file" || complain "$file of $1 is not that of $2"; done; }

expect 0 '^contrast:kind  *simclr|supcon  *simclr ' list tasks
expect 2 'views of a picture, and they would all be the same: give --shift both' train --data "$data" --arch tiny --task contrast --flip --out "$work/none"
expect 2 'give one of them' train --data "$data" --arch tiny --freeze --head-only --pool tips --out "$work/none"
[ ! -e "$work/none" ] || complain "a run that was refused left files"

learn --out "$work/one"
learn --out "$work/two"
same one two
# shellcheck disable=SC2086
"$tips" train $options --task contrast:kind=supcon --shift both --save-every 0.0001 --out "$work/killed" >/dev/null 2>&1 &
pid=$!
while [ ! -s "$work/killed/log.jsonl" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
kill -9 "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
expect 0 'neighbour' train --out "$work/killed" --resume
same one killed

# What belongs together, how views differ and the temperature change what is learned.
learn --task contrast --out "$work/simclr"
learn --views apart --out "$work/apart"
learn --task contrast:kind=supcon,temperature=1 --out "$work/warm"
for other in simclr apart warm; do cmp -s "$work/one/last.safetensors" "$work/$other/last.safetensors" && complain "$other learns the same"; done
expect 0 '^neighbour of the same class ' eval --model "$work/one/last.safetensors" --data "$data" --grid-images 0
expect 0 'The answer to this one input is the same for every shift' verify --model "$work/one/last.safetensors" --threads 1
expect 3 'The answer changes under' verify --task contrast --arch tiny --width 4 --size 16 --pool max

# The classifier alone learns, from --weights and from --init, the same; encoder and statistics stay as they are.
# shellcheck disable=SC2086
probe() { "$tips" train $options --lr 1 --weight-decay 0 --head-only "$@" >"$work/output" 2>&1 || complain "tips train $*: $(cat "$work/output")"; }
probe --weights "$work/one/last.safetensors" --out "$work/linear"
probe --init "$work/one/last.safetensors" --task classify --out "$work/init"
if command -v python3 >/dev/null; then
    moved_tensors "$work/one/last.safetensors" "$work/linear/last.safetensors" | grep . >"$work/moved"
    printf '%s\n' 'new fc.bias' 'new fc.weight' 'gone projection.0.bias' 'gone projection.0.weight' 'gone projection.2.bias' 'gone projection.2.weight' |
        cmp -s - "$work/moved" || complain "--head-only moved the wrong tensors: $(cat "$work/moved")"
fi
expect 2 '--head-only was true when the run in .* began and is false now' train --out "$work/linear" --resume --no-head-only
expect 2 "--smoothing: the task 'contrast' has no labels to smooth" train --data "$data" --arch tiny --task contrast --shift both --smoothing 0.1 --out "$work/none"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# tips train --resume DIR goes on with the run in DIR as --out DIR --resume does, and says what is wrong with a folder that holds none.
set -u
. "${SOURCE_DIR:?the source directory}/tests/support/expect.sh"
cd "$work" || exit 1
run="--data shapes:size=16,train=64,test=16,classes=4 --arch tiny --width 8 --batch 8 --threads 1"
# shellcheck disable=SC2086 # a list of words
train() { "$tips" train $run "$@" >output 2>&1 || complain "tips train $*: $(cat output)"; }

# One run to its end, and one that is killed behind its first epoch.
train --epochs 2 --out whole
cp -R whole done
# shellcheck disable=SC2086
"$tips" train $run --epochs 2 --out cut >cut.log 2>&1 & # itself, not a shell around it, which would be killed instead
trainer=$!
until [ -s cut/log.jsonl ] || ! kill -0 $trainer 2>/dev/null; do sleep 0.02; done
kill -9 $trainer 2>/dev/null
wait $trainer 2>/dev/null
cp -R cut flags

expect 0 'best epoch' train --resume cut
expect 0 'best epoch' train --out flags --resume
for file in best.safetensors last.safetensors; do
    cmp cut/$file whole/$file || complain "--resume DIR does not end where a run ends that never stopped: $file"
    cmp cut/$file flags/$file || complain "--resume DIR does not end where --out DIR --resume does: $file"
done
expect 0 '"resumed": true' train --resume done --json
expect 0 'best epoch' train done --resume
expect 0 'best epoch' train --resume done --out ./done
expect 0 'best epoch' train --resume "$work/done/"

# Nothing to go on with, or two answers to where it is.
mkdir empty
expect 2 'empty is a folder without checkpoint.safetensors: there is no run to go on with' train --resume empty
[ -z "$(ls empty)" ] || complain "a folder that holds no run got $(ls empty)"
expect 2 'done is the folder of one run and --out cut of another' train --resume done --out cut
expect 2 'epochs was 2 when the run in done began and is 3 now' train --resume done --epochs 3
expect 2 'one word too many' train --resume done cut
if built_with yaml; then expect 1 'done: is a folder, not a regular file' train done; fi
[ "$failures" -eq 0 ]

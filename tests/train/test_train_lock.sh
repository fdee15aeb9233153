#!/bin/sh
# One process at a folder: of two runs begun at once one trains and the other names it, and a holder that was killed holds nothing.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
options="--data shapes:size=16,train=400,test=40,classes=4 --arch tiny --batch 8 --threads 1"
# shellcheck disable=SC2086 # the options are words
train() { exec "$tips" train $options --out "$@"; }

# Both begun at once, in a folder that is not there.
for round in 1 2 3; do
    run="$work/new/run-$round"
    train "$run" --epochs 3 >"$work/a" 2>&1 & a=$!
    train "$run" --epochs 3 --lr 0.01 >"$work/b" 2>&1 & b=$!
    wait $a; first=$?
    wait $b; second=$?
    if [ $first -eq 0 ]; then holder=$a code=$second said=$work/b; else holder=$b code=$first said=$work/a; fi
    [ $((first == 0)) -ne $((second == 0)) ] || complain "of two runs in one folder $first and $second came out"
    [ "$code" -ne 0 ] && grep -q "$run: process $holder on .* since 20..-..-.. ..:..:.. writes there" "$said" ||
        complain "the holder $holder is not named: $(cat "$said")"
    [ "$(grep -c '"epoch"' "$run/log.jsonl")" -eq 3 ] || complain "the log does not hold each epoch once"
    [ ! -e "$run/run.lock" ] || complain "the lock was left behind"
done

# A killed holder leaves its file, and holds nothing; while it is stopped, it holds.
train "$work/killed" --epochs 500 >/dev/null 2>&1 & holder=$!
until [ -e "$work/killed/checkpoint.safetensors" ] || [ -s "$work/killed/log.jsonl" ]; do sleep 0.05; done
kill -STOP $holder
expect 1 "process $holder on" train --resume --out "$work/killed"
kill -9 $holder
wait $holder 2>/dev/null
[ -e "$work/killed/run.lock" ] || complain "a killed process removed its lock"
# shellcheck disable=SC2086
expect 0 'best epoch' train $options --epochs 1 --out "$work/other"
train "$work/killed" --resume --epochs 500 >"$work/a" 2>&1 & holder=$!
sleep 0.5
grep -q "writes there" "$work/a" && complain "a killed process holds the folder: $(cat "$work/a")"
kill -INT $holder
wait $holder
[ "$(grep -o '"epoch":[0-9]*' "$work/killed/log.jsonl" | sort | uniq -d)" = "" ] || complain "an epoch is in the log twice"

# What does not begin leaves nothing behind, neither folder nor lock.
expect 1 '' train --data "$work/nothing" --arch tiny --out "$work/left/deep/er"
[ ! -e "$work/left" ] || complain "a run that did not begin left a folder"
mkdir "$work/empty"
expect 1 '' train --data "$work/nothing" --arch tiny --out "$work/empty"
[ -d "$work/empty" ] && [ -z "$(ls -A "$work/empty")" ] || complain "a run that did not begin changed a folder"
[ "$failures" -eq 0 ]

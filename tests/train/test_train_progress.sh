#!/bin/sh
# What a training run says in a file: nothing unless asked, and with --verbose lines while an epoch runs, the task's loss first.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

# An epoch of minutes, stopped as soon as it has said something.
"$tips" train --arch resnet18 --pool tips-exact --data shapes:size=32,train=20000,test=40,classes=4 --batch 8 --epochs 2 --eps 0 \
    --threads 1 --verbose --out "$work/long" >"$work/out" 2>"$work/log" &
run=$!
for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    sleep 1
    [ -s "$work/log" ] && break
done
kill -INT "$run" && wait "$run"
line='^epoch 1/2 [0-9]*/2250  task loss [0-9.]* (besides: undo [0-9.]*, fm [0-9.]*; sum as weighed [0-9.]*)  [0-9]* img/s  .* left$'
grep -q "$line" "$work/log" || complain "after $second s the log of an epoch that runs says: $(cat "$work/log")"
grep -q "$(printf '\r')" "$work/log" && complain 'a file is written to as if it were a terminal'

# An epoch that has ended; an operator without losses of its own has one loss.
quick="--arch tiny --data shapes:size=16,train=40,test=9,classes=3 --batch 8 --epochs 1 --threads 1"
# shellcheck disable=SC2086 # options are words
expect 0 'epoch 1/1  lr .*  task loss [0-9.]* (besides: undo 0.0000, .*)  train .*  validation loss' train $quick --pool tips-exact --eps 1 --verbose --out "$work/aux"
expect 0 'epoch 1/1  lr [0-9.]*  loss [0-9.]*  train [0-9.]*%  validation loss' train $quick --pool max --verbose --out "$work/plain"
for key in task loss undo fm; do
    grep -q "\"$key\":" "$work/aux/log.jsonl" || complain "log.jsonl has no $key"
done
"$tips" train $quick --pool max --out "$work/quiet" 2>"$work/log" >/dev/null
[ ! -s "$work/log" ] || complain "a run that nobody asked says: $(cat "$work/log")"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# --watch-undo: what is learned is the same with it; the log has figures of every layer, none below the floor, and the
# same after a kill; maps are drawn at the epochs that matter.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
options="--data shapes:size=16,train=24,test=8,classes=2 --arch tiny --width 4 --batch 12 --epochs 5 --pool tips-exact --threads 1"
# shellcheck disable=SC2086 # the options are words
train() { "$tips" train $options "$@" >"$work/output" 2>&1 || complain "tips train $*: $(cat "$work/output")"; }
untimed() { sed 's/,"time":.*//' "$work/$1/log.jsonl"; }

train --out "$work/plain"
train --watch-undo 3 --out "$work/watched"
for file in best.safetensors last.safetensors; do cmp "$work/plain/$file" "$work/watched/$file" || complain "looking at L_undo changes $file"; done
grep -q undo_abs "$work/plain/log.jsonl" && complain "the log has figures that nobody asked for"
train --pool max --watch-undo 3 --out "$work/max"
grep -q undo "$work/max/log.jsonl" && complain "max has no L_undo to look at"

# shellcheck disable=SC2086
"$tips" train $options --watch-undo 3 --save-every 0.0001 --out "$work/killed" >/dev/null 2>&1 &
pid=$!
while [ ! -s "$work/killed/log.jsonl" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
kill -9 "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
expect 0 'best epoch' train --out "$work/killed" --resume
untimed watched >"$work/a"
untimed killed >"$work/b"
cmp "$work/a" "$work/b" || complain "after a kill the log is another"

if built_with png; then
    # Epochs 1, 2 and 3 (L_undo begins with the third of five), 4 and 5: after the first, around the beginning, three quarters, the last.
    for layer in layer2.0.pool layer2.0.downsample.pool layer3.0.pool layer3.0.downsample.pool; do
        for epoch in 001 002 003 004 005; do
            [ -s "$work/watched/undo/$layer-epoch-$epoch.png" ] || complain "no maps of $layer after epoch $epoch"
        done
    done
    train --watch-undo 3 --epochs 10 --eps 0.6 --out "$work/long"
    # shellcheck disable=SC2012
    drawn=$(ls "$work/long/undo" | sed -n 's/layer2.0.pool-epoch-0*\(.*\).png/\1/p' | sort -n | tr '\n' ' ')
    [ "$drawn" = "1 6 7 8 10 " ] || complain "maps of epochs $drawn"
fi

command -v python3 >/dev/null && { python3 - "$work/watched/log.jsonl" <<'PY' || complain "figures of L_undo that cannot be"; }
import json, sys

for line in map(json.loads, open(sys.argv[1])):
    layers = line["undo_layers"]
    assert len(layers) == 4, layers
    for figures in layers.values():
        assert figures["square"] >= figures["floor"] > 0 and figures["ridge"] >= figures["floor"] and figures["abs"] > 0, figures
        assert figures["abs"] ** 2 <= 1.5 * figures["square"], figures
    for key in ("abs", "square", "floor", "ridge"):
        mean = sum(figures[key] for figures in layers.values()) / len(layers)
        assert abs(mean - line["undo_" + key]) < 1e-12, key
PY
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

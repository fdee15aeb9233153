#!/bin/sh
# --norm on the command line: who takes it, where it is kept, and that plain batch norm goes without saying.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
data='shapes:size=16,train=64,test=16,classes=4'
norm=batch:momentum=0.25,eps=0.5

expect 0 '^batch  *statistics of the batch' list norms
expect 0 '^batch:eps *1e-12..1 *1e-5 ' list norms
expect 0 '"name": "batch"' list norms --json
expect 2 "did you mean 'norms'?" list norm
expect 2 "unknown norm 'bacth'; did you mean 'batch'?" init --norm bacth --out "$work/none.safetensors"

# Plain batch norm, said or not, is the same file; another one is read back from its file.
"$tips" init --arch tiny --size 16 --classes 4 --out "$work/plain.safetensors" >/dev/null || complain "init failed"
"$tips" init --arch tiny --size 16 --classes 4 --norm batch:eps=1e-5 --out "$work/said.safetensors" >/dev/null || complain "init --norm failed"
cmp "$work/plain.safetensors" "$work/said.safetensors" || complain "plain batch norm, when it is said, makes another file"
"$tips" info --json "$work/plain.safetensors" | grep -q '"\(tips\.\)\{0,1\}norm"' && complain "the file says something of plain batch norm"
"$tips" init --arch tiny --size 16 --classes 4 --norm "$norm" --out "$work/other.safetensors" >/dev/null || complain "init --norm $norm failed"
expect 0 "^norm          $norm\$" info "$work/other.safetensors"
expect 0 "^    \"norm\": \"$norm\"" info --json "$work/other.safetensors"
expect 0 "pool tips-exact, norm $norm, circular" verify --model "$work/other.safetensors" --shifts 4

# Commands that build a network take it.
expect 0 '^Exact' verify --arch tiny --norm "$norm" --shifts 4 --quiet
expect 0 "\"norm\": \"$norm\"" verify --arch tiny --norm "$norm" --shifts 4 --json
expect 0 "padding, norm $norm; arenas" cost --arch tiny --pool max --norm "$norm" --no-time --no-memory
expect 0 "\"norm\": \"$norm\"" cost --arch tiny --pool max --norm "$norm" --no-time --no-memory --json
expect 0 "with tips-exact, norm $norm, " bench step --arch tiny --norm "$norm" --steps 1 --batch 2
expect 0 "\"norm\": \"$norm\"" bench step --arch tiny --norm "$norm" --steps 1 --batch 2 --json
expect 0 '"accuracy"' eval --arch tiny --norm "$norm" --data "$data" --grid-images 0 --json

# Training: kept in the model, the options and the checkpoint; --init takes it over.
train() { "$tips" train --data "$data" --arch tiny --batch 16 --epochs 1 "$@" >"$work/output" 2>&1 || complain "tips train $*: $(cat "$work/output")"; }
train --norm "$norm" --out "$work/run"
expect 0 "^norm          $norm\$" info "$work/run/best.safetensors"
[ "$(grep -c "\"norm\": \"$norm\"" "$work/run/config.json")" -eq 2 ] || complain "config.json does not say the norm, as given and as it came to be"
train --init "$work/run/best.safetensors" --out "$work/further"
expect 0 "^norm          $norm\$" info "$work/further/best.safetensors"
train --init "$work/run/best.safetensors" --norm batch --out "$work/back"
"$tips" info "$work/back/best.safetensors" | grep -q '^norm ' && complain "a flag did not come before the model"
expect 2 "--norm was $norm when the run in .* began and is batch now" train --out "$work/run" --resume --norm batch
expect 2 '--norm was batch when the run in .* began and is ' train --out "$work/back" --resume --norm "$norm"
expect 0 'best epoch 1' train --out "$work/back" --resume --norm batch
grep -q 'option.norm' "$work/back/checkpoint.safetensors" && complain "the checkpoint says something of plain batch norm"

# Every norm keeps exactness with an exact operator, is in the file that is written, and counts in what a network costs.
for other in layer group:groups=4 instance kernel none; do
    expect 0 '^Exact: 0 differing bits' verify --arch tiny --size 16 --norm "$other" --shifts all --quiet
    expect 3 'Not exact' verify --arch tiny --size 16 --norm "$other" --pool max --shifts all --quiet
    expect 3 'padding' verify --arch tiny --size 16 --norm "$other" --padding zero --shifts all --quiet
    "$tips" init --arch tiny --size 16 --classes 4 --norm "$other" --out "$work/norm.safetensors" >/dev/null || complain "init --norm $other failed"
    expect 0 "^norm          $other\$" info "$work/norm.safetensors"
    expect 0 '^Exact: 0 differing bits' verify --model "$work/norm.safetensors" --shifts all --quiet
    expect 0 "norm $other; arenas" cost --arch tiny --pool max --norm "$other" --no-time --no-memory
done
macs() { "$tips" cost --arch tiny --pool max --norm "$1" --no-time --no-memory --json | sed -n 's/.*"multiply_adds": \([0-9]*\).*/\1/p' | head -1; }
[ "$(macs group)" -gt "$(macs none)" ] || complain "a group norm costs nothing: $(macs group), without $(macs none)"
[ "$(macs kernel)" -gt "$(macs none)" ] || complain "a kernel norm costs nothing: $(macs kernel), without $(macs none)"

# A network from elsewhere has norms of its own.
if "$tips" convert "$source/tests/fuzz/corpus/onnx/block13.onnx" -o "$work/converted.safetensors" >"$work/output" 2>&1; then
    expect 2 'has the norms of its model file' train --data 'shapes:size=16,train=40,test=9,classes=3' --size 16 --norm "$norm" \
        --init "$work/converted.safetensors" --out "$work/none"
fi

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

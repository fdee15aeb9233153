#!/bin/sh
# tips bench step --model: the network of a file is what is timed, and --latency says how long its steps take.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
run='--steps 2 --warmup 1 --batch 2 --threads 1'
own=$work/own.safetensors

# has KEY VALUE ARGUMENTS...: the JSON of a run says so (a basic regular expression).
has() {
    key=$1
    value=$2
    shift 2
    expect 0 "^  \"$key\": $value,\$" bench step --json "$@"
}

"$tips" init --arch tiny --pool max --size 16x24 --classes 7 --channels 2 --padding zero --out "$own" >/dev/null || complain "init failed"
expect 0 "own.safetensors: tiny with max, zero padding" bench step --model "$own" --mode infer $run
expect 0 '^inference in batches of 2, 2x16x24, 1 thread' bench step --model "$own" --mode infer $run
expect 0 '^training in batches of 2, 2x16x24, 1 thread' bench step --model "$own" $run
expect 0 ', 2x32x32, 1 thread' bench step --model "$own" --mode infer --size 32 $run
has model ".*own.safetensors\"" --model "$own" --mode infer $run
has classes 7 --model "$own" --mode infer $run
has cpu '".*"' --model "$own" --mode infer $run
has pool '"max"' --model "$own" --mode infer --algorithm exact $run
has latency_ms_median '[0-9.e-]*' --model "$own" --latency $run
has latency_ms_p99 '[0-9.e-]*' --model "$own" --latency $run

# What --latency means where nothing else is said: inference, one picture, many steps.
expect 0 '^inference in batches of 1, ' bench step --model "$own" --latency --steps 3
has mode '"infer"' --model "$own" --latency
has steps 200 --model "$own" --latency
has batch 1 --model "$own" --latency
has mode '"train"' --arch tiny --latency --steps 3 --mode train
has batch 3 --arch tiny --latency --steps 3 --batch 3
expect 0 '^latency  *[0-9.]* ms a step, median; 99 of 100 steps take at most [0-9.]* ms$' bench step --arch tiny --latency --steps 3
"$tips" bench step --arch tiny $run | grep -q '^latency' && complain "latency is shown though nobody asked"
"$tips" bench step --arch tiny $run --json | grep -q '"latency\|"model"' && complain "JSON has latency or model though nobody asked"

for option in '--arch tiny' '--pool max' '--classes 3' '--channels 3' '--padding zero' '--width 8' '--task classify'; do
    # shellcheck disable=SC2086 # two words
    expect 2 "makes a network, and --model .*own.safetensors is one already" bench step --model "$own" $option
done
expect 2 '--model goes with step' bench pools --model "$own"
expect 2 '--latency goes with step' bench pools --latency
expect 1 'cannot be opened' bench step --model "$work/none.onnx" --mode infer

if built_with protobuf-c; then
    elsewhere=$source/tests/fuzz/corpus/onnx/circular.onnx
    expect 0 'circular.onnx: a network from elsewhere, 3 classes, 243 parameters' bench step --model "$elsewhere" --mode infer $run
    expect 0 '^training in batches of 2' bench step --model "$elsewhere" $run
    has allocations_second_step 0 --model "$elsewhere" --mode infer $run
    "$tips" bench step --model "$elsewhere" --mode infer $run --json | grep -q '"pool"' && complain "a network from elsewhere has no operator of ours"
    expect 0 'own.onnx: tiny with max, circular padding' bench step --model "$source/tests/fuzz/corpus/onnx/own.onnx" --mode infer $run
fi

exit $((failures > 0))

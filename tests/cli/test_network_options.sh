#!/bin/sh
# Options of the network next to a file that has one: every command carries them out or refuses them, and never puts the name of
# one network on another.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
data=shapes:size=16,train=40,test=9,classes=3
quick="--data $data --epochs 1 --batch 8 --threads 1"

"$tips" init --arch tiny --pool max --size 16 --classes 3 --out "$work/own.safetensors" >/dev/null || complain "init failed"

# refused MODEL: each option of the network, with a value of its own, next to --model.
refused() {
    while read -r name value; do
        set -- "$1" # the model
        expect 2 "--$name makes a network, and --model .* is one already" eval --model "$1" --data $data --limit 3 "--$name" "$value"
        expect 2 "--$name makes a network, and --model .* is one already" verify --model "$1" --shifts 2 "--$name" "$value"
        expect 2 "--$name makes a network, and --model .* is one already" predict --model "$1" "$source/tests/images/colour.png" "--$name" "$value"
        for command in export info audit report; do
            case "$command $name" in 'audit task' | 'info task') continue ;; esac # which an ONNX file may need
            [ $command = export ] && set -- "$1" export --model "$1" -o "$work/x.onnx"
            [ $command = info ] && set -- "$1" info "$1"
            [ $command = audit ] && set -- "$1" audit "$1" --data $data
            [ $command = report ] && set -- "$1" report "$work"
            model=$1
            shift
            expect 2 "unknown flag '--$name'" "$@" "--$name" "$value"
            set -- "$model"
        done
    done <<END
task classify
arch tiny
pool tips-exact
lpf 3
norm batch
padding zero
stem cifar
down 2
width 8
END
}
refused "$work/own.safetensors"
expect 2 "own.safetensors is a model of the task 'classify', not 'segment'" audit "$work/own.safetensors" --data $data --task segment
expect 2 "train --init .*own.safetensors --pool ... --out DIR" eval --model "$work/own.safetensors,b.onnx" --data $data --pool max
# What is of the run or of the input goes along.
expect 0 'accuracy' eval --model "$work/own.safetensors" --data $data --limit 3 --seed 2 --threads 1 --quiet
expect 3 'Not exact' verify --model "$work/own.safetensors" --shifts 4 --seed 2 --threads 1 --size 16 --quiet

# train and compare: a network of tips is built as asked, and takes what fits.
expect 0 'tiny with tips-exact' train --init "$work/own.safetensors" --pool tips-exact $quick --out "$work/exact"
expect 0 '^Exact' verify --model "$work/exact/best.safetensors" --shifts 8 --threads 1 --quiet
expect 0 'tiny with max' train --init "$work/own.safetensors" $quick --out "$work/max"
expect 3 'Not exact' verify --model "$work/max/best.safetensors" --shifts 8 --threads 1 --quiet
expect 0 'tiny with max' train --init "$work/own.safetensors" --padding zero --lpf 3 $quick --out "$work/zero"
expect 0 'max after LPF-3' info "$work/zero/best.safetensors"
expect 0 'zero' info "$work/zero/best.safetensors"
expect 2 'cifar stem only' train --init "$work/own.safetensors" --stem imagenet $quick --out "$work/refused"
for option in "--width 4" "--arch resnet18"; do
    expect 1 'tensor' train --init "$work/own.safetensors" $option $quick --out "$work/refused"
done
expect 2 'unknown task' train --init "$work/own.safetensors" --task zebra $quick --out "$work/refused"
expect 2 'unknown task' eval --task zebra --arch tiny --data $data --limit 3
expect 0 'accuracy' eval --task classify --arch tiny --data $data --limit 3 --threads 1

# The rest is about networks from elsewhere.
foreign=$source/tests/fuzz/corpus/onnx/block13.onnx
"$tips" info "$foreign" >"$work/output" 2>&1 || {
    grep -q 'without ONNX' "$work/output" || complain "$(cat "$work/output")"
    echo "networks from ONNX files are left out"
    exit $((failures > 0))
}
refused "$foreign"
expect 2 "tips convert .*block13.onnx --pool ... --out FILE" eval --model "$foreign" --data $data --pool max

expect 0 'then aps by' convert "$foreign" --pool aps --padding circular --out "$work/aps.safetensors"
for option in "pool tips-exact" "pool stride" "lpf 3" "padding circular" "padding zero"; do
    expect 2 "tips convert .*block13.onnx --${option%% *} ${option#* } --out FILE" train --init "$foreign" \
        "--${option%% *}" "${option#* }" $quick --out "$work/refused"
done
for option in "pool max" "lpf 3" "padding zero"; do
    expect 2 "tips convert ORIGINAL --${option%% *} ${option#* } --out FILE" train --init "$work/aps.safetensors" \
        "--${option%% *}" "${option#* }" $quick --out "$work/refused"
done
for model in "$foreign" "$work/aps.safetensors"; do
    for option in "--width 8" "--down 2" "--stem imagenet"; do
        expect 2 'which has the layers of its model file' train --init "$model" $option $quick --out "$work/refused"
    done
    expect 1 'it lacks tensors' train --init "$model" --arch tiny $quick --out "$work/refused"
done
[ ! -e "$work/refused/best.safetensors" ] || complain "a refused run wrote a model"
# What a converted network is may be said.
expect 0 'graph with aps' train --init "$work/aps.safetensors" --pool aps --padding circular --arch graph $quick --out "$work/said"
expect 0 'graph with aps' train --init "$work/aps.safetensors" --pool aps:p=2 $quick --out "$work/said2"

# A recipe is as good as flags.
if built_with yaml; then
    printf 'pool: tips-exact\n' >"$work/recipe.yaml"
    expect 2 'tips convert .*--pool tips-exact' train "$work/recipe.yaml" --init "$foreign" $quick --out "$work/refused"
fi

# A comparison is refused before anything is trained.
expect 2 'tips convert .*--pool' compare --init "$foreign" --pool stride,aps,tips-exact $quick --out "$work/compared"
expect 2 'tips convert ORIGINAL --pool max' compare --init "$work/aps.safetensors" --pool aps,max $quick --out "$work/compared"
[ ! -e "$work/compared" ] || complain "a refused comparison left files"

# Our own networks through ONNX are what they were, and weights that do not fit are named.
expect 0 'nodes' export --model "$work/own.safetensors" -o "$work/own.onnx"
expect 0 'tiny with tips-exact' train --init "$work/own.onnx" --pool tips-exact $quick --out "$work/back"
expect 0 '^Exact' verify --model "$work/back/best.safetensors" --shifts 8 --threads 1 --quiet
expect 1 'it lacks tensors of the network' train --init "$work/own.onnx" --arch resnet18 $quick --out "$work/refused"
expect 1 'another shape' train --init "$work/own.onnx" --width 4 $quick --out "$work/refused"
exit $((failures > 0))

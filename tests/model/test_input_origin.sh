#!/bin/sh
# Mean and deviation that nobody says are a guess: it is called one wherever it is shown or used, on standard error and in JSON,
# and stays one in every file that comes of the model, until an option says better.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
built_with protobuf-c || { echo "skipped: this build does not read ONNX"; exit 77; }
foreign=$source/tests/fuzz/corpus/onnx/block13.onnx
data=shapes:size=16,train=40,test=9,classes=3
quick="--data $data --threads 1 --no-msb --grid-images 0 --quiet"
cd "$work" || exit 1

# source WANTED COMMAND...: what the JSON of a command says of who says mean and deviation, and whether it warns of a guess.
source_is() {
    wanted=$1
    shift
    "$tips" "$@" --json >json 2>warnings || complain "tips $*: $(cat warnings)"
    tr -d '\n' <json | grep -q '"input": {[^}]*"source": "'"$wanted"'"' || complain "tips $*: the source is not $wanted: $(grep source json)"
    warned=$(grep -c '^tips: warning: .*guessed, ' warnings)
    [ "$wanted" = guessed ] && least=1 || least=0
    [ "$warned" -eq $least ] || complain "tips $*: $warned warnings of a guess, not $least: $(cat warnings)"
}

guess="guessed, ImageNet's mean 0.485, 0.456, 0.406 and deviation 0.229, 0.224, 0.225 of pixels in 0..1. .*give --range, --mean and --std"
expect 0 "$guess" info "$foreign"
expect 0 'mean 0.485 0.456 0.406 (guessed), deviation 0.229 0.224 0.225 (guessed)' info "$foreign"
source_is guessed info "$foreign"
source_is guessed eval --model "$foreign" $quick
grep -q '"name": "guessed_input"' json || complain "eval's warnings do not hold the guess"
source_is given eval --model "$foreign" $quick --range -1..1
source_is given eval --model "$foreign" $quick --mean 0.5 --std 0.5
source_is guessed eval --model "$foreign" $quick --bgr
source_is guessed audit "$foreign" $quick --shifts none
source_is given audit "$foreign" $quick --shifts none --range 0..255
expect 0 "the deviation is guessed, mean 0.5, 0.5, 0.5 and deviation 0.229" eval --model "$foreign" $quick --mean 0.5
! grep -q "ImageNet" output || complain "numbers that are not ImageNet's are said to be"
expect 0 "the mean is guessed, mean 0.485" eval --model "$foreign" $quick --std 0.5
"$tips" init --arch tiny --size 16 --classes 3 --out own.safetensors >/dev/null
source_is file eval --model own.safetensors $quick
source_is default eval --arch tiny $quick

# Values for pixels of 0..255 are refused where nobody says that they are in that range.
expect 2 "mean: 123.675 is none of pixels in 0..1; if they are in 0..255, say --range 0..255" \
    eval --model "$foreign" $quick --mean 123.675,116.28,103.53 --std 58.395,57.12,57.375
expect 2 "std: 58.395 is none of pixels in -1..1" eval --model "$foreign" $quick --range -1..1 --std 58.395,57.12,57.375
expect 0 accuracy eval --model "$foreign" $quick --range 0..255 --mean 123.675,116.28,103.53 --std 58.395,57.12,57.375

# Files that come of it.
"$tips" convert "$foreign" -o converted.safetensors >/dev/null 2>&1 || complain "convert failed"
source_is guessed info converted.safetensors
"$tips" export --model converted.safetensors --out exported.onnx >/dev/null 2>&1 || complain "export failed"
source_is guessed info exported.onnx
source_is guessed eval --model exported.onnx $quick
"$tips" convert "$foreign" --range -1..1 -o said.safetensors >/dev/null 2>&1
source_is file info said.safetensors
"$tips" convert "$foreign" --mean 0.5 -o half.safetensors >/dev/null 2>&1
expect 0 'mean 0.5 0.5 0.5, deviation 0.229 0.224 0.225 (guessed)' info half.safetensors

# Every other command that puts pictures into the network.
picture=$source/tests/images/colour.ppm
source_is guessed predict --model "$foreign" "$picture"
source_is given predict --model "$foreign" "$picture" --range 0..1
source_is guessed convert "$foreign" -o other.safetensors
source_is given convert "$foreign" -o other.safetensors --range 0..1
source_is guessed export --model converted.safetensors --out exported.onnx
source_is file export --model said.safetensors --out exported.onnx
source_is guessed attack "$foreign" --attack fgsm --data $data --threads 1 --quiet
source_is given attack "$foreign" --attack fgsm --range 0..1 --data $data --threads 1 --quiet
expect 3 'warning: .*guessed' verify --model "$foreign" --image "$picture" --shifts 2 --quiet
expect 3 'exact' verify --model "$foreign" --image "$picture" --shifts 2 --quiet --range 0..1
! grep -q guessed output || complain "verify warns of a guess where an option says it"

# Weights come with the normalisation of their model, if the file says it; else it is a guess, and the model that is made keeps it.
"$tips" train --data $data --arch tiny --size 16 --epochs 1 --batch 8 --threads 1 --range -1..1 --out own >/dev/null 2>&1
expect 0 'tensors loaded' init --arch tiny --size 16 --classes 3 --weights own/last.safetensors --out weights.safetensors
! grep -q guessed output || complain "init warns of a guess where a model says it"
expect 0 'mean 0.5 0.5 0.5, deviation 0.5 0.5 0.5$' info weights.safetensors
set -- --arch resnet18 --width 4 --stem imagenet --size 64 --weights "$source/tests/golden/torchvision_resnet18.safetensors"
expect 0 "warning: .*guessed, ImageNet's" init "$@" --out weights.safetensors
expect 0 'mean 0.485 0.456 0.406 (guessed)' info weights.safetensors
expect 0 'tensors loaded' init "$@" --range 0..255 --bgr --out weights.safetensors
expect 0 'deviation 0.0039216 0.0039216 0.0039216, channels blue, green, red$' info weights.safetensors
expect 0 'mean 0.5 0.5 0.5, deviation 0.25 0.25 0.25' info own.safetensors
exit $((failures > 0))

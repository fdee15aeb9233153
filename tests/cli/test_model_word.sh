#!/bin/sh
# Every command that takes a model takes it as a plain word, and as --model where that was its flag; nobody gets an answer of random weights
# who did not ask for it; a folder where a file belongs is said to be one.
set -u
. "${SOURCE_DIR:?the source directory}/tests/support/expect.sh"
cd "$work" || exit 1
"$tips" init --arch tiny --width 8 --size 32 --pool max --out m.safetensors >/dev/null || complain "tips init failed"
"$tips" init --arch tiny --width 8 --size 32 --pool aps --out n.safetensors >/dev/null || complain "tips init failed"
{ printf 'P6 32 32 255\n'; head -c 3072 m.safetensors; } >one.ppm
mkdir folder frames
cp one.ppm frames/1.ppm

# same CODE COMMAND WORDS -- FLAGS: the command says the same with words as with flags.
same() {
    code=$1
    words=${2%% -- *} flags=${2#* -- }
    # shellcheck disable=SC2086 # lists of words
    "$tips" $words >words.out 2>words.err
    got=$?
    # shellcheck disable=SC2086
    "$tips" $flags >flags.out 2>flags.err || [ $? -eq "$code" ] || complain "tips $flags: $(cat flags.err)"
    if [ "$got" -eq "$code" ] && cmp -s words.out flags.out; then return; fi
    complain "tips $words: exit code $got (wanted $code), or not what tips $flags prints"
    diff words.out flags.out | head -n 5
    cat words.err
}
same 3 "verify m.safetensors --shifts 2 --quiet -- verify --model m.safetensors --shifts 2 --quiet"
same 0 "verify --shifts 2 n.safetensors -- verify --shifts 2 --model n.safetensors"
same 0 "predict m.safetensors one.ppm one.ppm -- predict --model m.safetensors one.ppm one.ppm"
same 0 "predict m.safetensors --sequence frames -- predict --model m.safetensors --sequence frames"
measure="--data shapes --limit 4 --grid-images 0 --quiet --no-msb"
same 0 "eval m.safetensors $measure -- eval --model m.safetensors $measure"
same 0 "eval m.safetensors n.safetensors $measure -- eval --model m.safetensors,n.safetensors $measure"
expect 0 'm.safetensors' bench step m.safetensors --mode infer --steps 1 --batch 1
if built_with protobuf-c; then
    expect 0 'nodes' export m.safetensors -o word.onnx
    expect 0 'nodes' export --model m.safetensors -o flag.onnx
    cmp -s word.onnx flag.onnx || complain "tips export writes another file where the model is a word"
fi

# A model that is not there is named, wherever it stands.
for command in verify predict eval export 'bench step' info convert audit attack; do
    case $command in
    predict) more=one.ppm ;;
    eval | audit) more='--data shapes' ;;
    attack) more='--data shapes --attack fgsm' ;;
    export | convert) more='-o out.onnx' ;;
    *) more= ;;
    esac
    # shellcheck disable=SC2086
    expect 1 'nowhere.safetensors' $command nowhere.safetensors $more
    # shellcheck disable=SC2086
    expect 1 'folder' $command folder $more
    if grep -q ':1:\|input error\|one word too many' output; then complain "tips $command folder: $(cat output)"; fi
done
expect 2 "'n.safetensors' is one word too many" verify m.safetensors n.safetensors
expect 2 "'n.safetensors' is one word too many" verify --model m.safetensors n.safetensors
expect 2 "'n.safetensors' is one word too many" export m.safetensors n.safetensors -o x.onnx
expect 2 "'n.safetensors' is one word too many" bench step m.safetensors n.safetensors
expect 2 'makes a network, and' verify m.safetensors --pool aps
expect 2 'makes a network, and' predict m.safetensors one.ppm --arch tiny
expect 2 'name pictures' predict m.safetensors

# Without a model.
for words in one.ppm missing.jpg missing.NPY 'one.ppm m.safetensors'; do
    # shellcheck disable=SC2086
    expect 2 'there is no model' predict $words
done
expect 2 'tips predict MODEL PICTURE' predict one.ppm --size 32
expect 2 'there is no model' predict --sequence frames
expect 2 'there is no model' eval --data shapes
expect 2 'is missing' export -o x.onnx
[ ! -e x.onnx ] || complain "tips export without a model writes a file"
expect 0 'Random weights' predict --arch tiny --width 8 one.ppm --size 32
cp one.ppm unnamed
expect 0 '^unnamed' predict --arch tiny --width 8 unnamed --size 32
expect 0 '^unnamed' predict m.safetensors unnamed
expect 0 'random weights' eval --arch tiny --width 8 $measure

# A folder is not a recipe.
if built_with yaml; then
    for command in train compare study; do
        expect 1 'folder: is a folder' $command folder --out runs
    done
fi
[ "$failures" -eq 0 ]

#!/bin/sh
# compare_binaries.sh OLD NEW: what two builds of the command print and write, byte for byte.
#
# For changes that must change nothing: trains with both, then compares the models by cmp, and the JSON of verify, eval, audit, cost, info,
# predict and others on fixed cases. Times are left out. Exits with 1 if anything differs.
set -u
full() { echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"; }
old=$(full "${1:?the old command}") new=$(full "${2:?the new command}")
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_WAIT_POLICY=passive
failures=0 count=0
mkdir "$work/old" "$work/new"

# What may differ: seconds of all kinds, which no two runs share.
without_times() {
    sed -E '/"[a-z_]*(seconds|_ms|per_second|gflops|peak_share|resident_mb|stall)[a-z_]*":/d; s/"time":\{[^}]*\}/"time":{}/g; s/ time="[0-9.]*"//g'
}

# case NAME ARGUMENT...: runs both in folders of their own and compares the exit codes and what they print.
one() {
    name=$1
    shift
    count=$((count + 1))
    for side in old new; do
        if [ $side = old ]; then command=$old; else command=$new; fi
        (cd "$work/$side" && "$command" "$@" >"../$side.out" 2>"../$side.err"; echo "exit $?" >>"../$side.out")
        without_times <"$work/$side.out" >"$work/$side.plain"
    done
    if grep -q '^exit [12]$' "$work/old.out"; then
        failures=$((failures + 1))
        echo "FAILS    $name: $(head -n 1 "$work/old.err")"
    elif cmp -s "$work/old.plain" "$work/new.plain"; then
        echo "same     $name"
    else
        failures=$((failures + 1))
        echo "DIFFERS  $name: tips $*"
        diff "$work/old.plain" "$work/new.plain" | head -n "${LINES_SHOWN:-6}"
        head -n 3 "$work/new.err"
    fi
}

# same_file NAME: a file that both have written.
same_file() {
    count=$((count + 1))
    without_times <"$work/old/$1" >"$work/old.plain" 2>/dev/null
    without_times <"$work/new/$1" >"$work/new.plain" 2>/dev/null
    case $1 in
    *.safetensors | *.onnx | *.png | *.npy) cmp -s "$work/old/$1" "$work/new/$1" ;;
    *) cmp -s "$work/old.plain" "$work/new.plain" ;;
    esac && echo "same     $1" && return
    failures=$((failures + 1))
    echo "DIFFERS  $1"
}

shapes=shapes:size=32,train=320,test=64
small="--data $shapes --epochs 2 --batch 16 --threads 2"
# shellcheck disable=SC2086 # the options are words
{
    one 'train tips-exact' train --arch tiny --pool tips-exact $small --out exact --json
    one 'train max' train --arch tiny --pool max --padding zero $small --flip --crop 2 --shift both --out max --json
    one 'train lps' train --arch tiny --pool lps $small --schedule cosine --smoothing 0.1 --clip 1 --out lps --json
    one 'compare' compare --arch tiny --pool max,aps $small --seeds 2 --limit 32 --grid-images 4 --out compared --json
}
for run in exact max lps; do
    for file in best.safetensors last.safetensors log.jsonl curves.svg; do same_file $run/$file; done
done
for run in max aps; do for seed in 1 2; do same_file compared/$run/seed-$seed/best.safetensors; done; done
one 'init' init --arch resnet18 --width 16 --pool tips --out fresh.safetensors
same_file fresh.safetensors
one 'export' export --model exact/best.safetensors -o exact.onnx --json
same_file exact.onnx
one 'convert' convert "$source/tests/fuzz/corpus/onnx/block13.onnx" -o converted.safetensors --json
same_file converted.safetensors
one 'freeze nothing, start from a file' train --init exact/last.safetensors --data $shapes --epochs 1 --batch 16 --out again --json
same_file again/last.safetensors
one 'train a converted network with its teacher' train --init converted.safetensors --teacher "$source/tests/fuzz/corpus/onnx/block13.onnx" \
    --data shapes:size=16,train=40,test=9,classes=3 --size 16 --epochs 1 --batch 8 --out taught --json
same_file taught/last.safetensors
one 'verify tips-exact' verify --arch resnet18 --width 16 --pool tips-exact --shifts 16 --json
one 'verify max' verify --arch tiny --pool max --shifts all --json
one 'verify zero padding' verify --arch tiny --pool aps --padding zero --shifts 16
one 'verify alone' verify --alone --pool lps --stride 3x2 --channels 16 --size 12x18 --json
one 'verify ref' verify --arch tiny --pool aps --size 16 --shifts 8 --engine ref --json
one 'verify model' verify --model exact/best.safetensors --shifts 32 --json
one 'eval' eval --model exact/best.safetensors --data $shapes --grid-images 8 --levels --json
one 'eval several' eval --model exact/best.safetensors,max/best.safetensors --data $shapes --grid-images 4
one 'eval adobe' eval --model max/best.safetensors --data $shapes --protocol adobe --grid-images 0 --out eval.json
same_file eval.json
one 'eval random' eval --arch tiny --pool aps --data shapes:test=20 --pairs 3 --protocol imagenet-p --json
one 'audit' audit max/best.safetensors --data $shapes --require 'accuracy>=1%;circular_consistency>=1%' --require invariant --junit junit.xml --json
same_file junit.xml
one 'audit onnx' audit exact.onnx --data $shapes --limit 32 --report audit.html
same_file audit.html
one 'cost' cost --arch tiny,resnet18 --pool max,aps,tips-exact --json
one 'info' info exact/best.safetensors --json
one 'info onnx' info exact.onnx
one 'predict' predict --model exact/best.safetensors "$source/tests/images/colour.png" "$source/tests/images/grey.jpg" --stability --top 2 --json
one 'predict logits' predict --model max/best.safetensors --sequence "$source/tests/images" --logits scores.npy
same_file scores.npy
one 'report' report compared -o report.html --json
same_file report.html
one 'list' list pools --json
one 'list layers' list layers
for page in $(sed -n 's/^CLI_COMMAND(cli_\([a-z]*\).*/\1/p' "$source/cli/commands.def"); do
    one "help $page" help "$page"
    one "manual of $page" help --man "$page"
done
one 'data info' data info $shapes --json
echo "$count compared, $failures different"
[ $failures = 0 ]

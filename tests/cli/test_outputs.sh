#!/bin/sh
# Files that commands write: one that cannot be written is told before the work, or after its result was shown, leaves the
# old file as it was, and no temporary. A limit on the size of files is a disk that is full.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

model="$work/model.safetensors"
"$tips" init --arch tiny --width 8 --size 16 --classes 3 --out "$model" >/dev/null || complain "no model could be made"
data=shapes:size=16,train=24,test=6,classes=3
measure="--data $data --limit 4 --grid-images 0 --quiet --threads 1"

# limited BLOCKS PATTERN ARGUMENTS...: with files of at most that many blocks of 512 bytes, and the usual answer to SIGXFSZ.
limited() {
    blocks=$1
    pattern=$2
    shift 2
    mkdir "$work/full"
    echo old >"$work/full/file"
    (ulimit -f "$blocks" && "$tips" "$@" 2>&1; echo "code $?") | cat >"$work/output"
    grep -q '^code 1$' "$work/output" || complain "tips $*: $(tail -n 1 "$work/output") where a file is too large"
    grep -q "full/file: $pattern" "$work/output" || complain "tips $*: does not say: $pattern; $(cat "$work/output")"
    [ "$(cat "$work/full/file")" = old ] || complain "tips $*: the old file is lost"
    [ "$(ls -A "$work/full")" = file ] || complain "tips $*: leaves $(ls -A "$work/full")"
    rm -r "$work/full"
}

too_large='could not be written: File too large'
out="$work/full/file"
# shellcheck disable=SC2086 # the flags are words
if (ulimit -f 1) 2>/dev/null; then
    limited 8 "$too_large" init --arch tiny --size 16 --out "$out"
    limited 2 "$too_large" eval --model "$model" $measure --out "$out"
    grep -q 'standard' "$work/output" || complain "eval shows nothing where --out cannot be written"
    limited 2 "$too_large" audit "$model" $measure --report "$out"
    grep -qi 'exact' "$work/output" || complain "audit shows nothing where --report cannot be written"
    if built_with png; then
        limited 2 "$too_large" data info "$data" --sheet "$out"
        grep -q '^train 2' "$work/output" || complain "data info shows nothing where --sheet cannot be written"
    fi
    if built_with protobuf-c; then
        limited 8 "$too_large" export --model "$model" --out "$out"
        limited 2 "$too_large" convert "$source/tests/fuzz/corpus/onnx/block13.onnx" --pool aps --out "$out"
    fi
    (ulimit -f 2 && "$tips" train --data "$data" --arch tiny --width 8 --batch 8 --epochs 1 --threads 1 \
        --out "$work/run" 2>&1; echo "code $?") | cat >"$work/output"
    grep -q '^code 1$' "$work/output" || complain "train under a limit: $(tail -n 1 "$work/output")"
    grep -q 'run/.*File too large' "$work/output" || complain "train does not say which file is too large: $(cat "$work/output")"
    [ -z "$(find "$work/run" -name '*.tmp')" ] || complain "train leaves a temporary"
fi

# refused PATTERN ARGUMENTS...: before anything is measured. A model that is not there would be told first.
refused() {
    pattern=$1
    shift
    expect 1 "$pattern" "$@"
    grep -q 'nothing' "$work/output" && complain "tips $*: the model was looked at before the output"
}

mkdir "$work/folder"
echo text >"$work/text"
for place in nowhere/file folder text/file; do
    case $place in
    nowhere/file) why='cannot be written: the folder .*nowhere: No such file or directory$' ;;
    folder) why='is a folder, not a regular file' ;;
    text/file) why='cannot be written: .*text is not a folder$' ;;
    esac
    out="$work/$place"
    # shellcheck disable=SC2086
    {
        refused "^tips: --out: .*$place: $why" eval --model nothing $measure --out "$out"
        refused "^tips: --junit: .*$place: $why" audit nothing $measure --junit "$out"
        refused "^tips: --report: .*$place: $why" audit nothing $measure --report "$out"
    }
    refused "^tips: --out: .*$place: $why" init --weights nothing --out "$out"
    refused "^tips: --out: .*$place: $why" export --model nothing -o "$out"
    refused "^tips: --out: .*$place: $why" convert nothing --out "$out"
    refused "^tips: --out: .*$place: $why" report nothing --out "$out"
    refused "^tips: --logits: .*$place: $why" predict --model nothing nothing.png --logits "$out"
    refused "^tips: --sheet: .*$place: $why" data info "$work/nothing" --sheet "$out"
done
for place in text text/below; do
    refused "^tips: --out: .*$place: the folder cannot be made: .*text is a file" train --data nothing --out "$work/$place"
    refused "^tips: --out: .*$place: the folder cannot be made" compare --data nothing --pool max --out "$work/$place"
    refused 'the folder cannot be made' report nothing --out "$work/page.html" --figures "$work/$place"
done
[ "$(cat "$work/text")" = text ] || complain "a file was changed"
[ -z "$(ls -A "$work/folder")" ] || complain "something was left in a folder"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

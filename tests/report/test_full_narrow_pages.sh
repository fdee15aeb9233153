#!/bin/sh
# Pages on a screen of 390 pixels, by a browser: nothing reaches out of it but what can be moved. Long names are the hard part.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "skipped: there is no chromium, which shows the pages"
    exit 77
}
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

name=a-network_with_a_long_name_that_nobody_breaks_for_a_narrow_screen
long=$work/$name
mkdir "$long"
"$tips" init --arch tiny --pool max --size 16 --classes 10 --out "$long/$name.safetensors" >/dev/null 2>&1
"$tips" audit "$long/$name.safetensors" --data shapes:test=40 --limit 8 --pairs 2 --grid-images 2 --attack fgsm:eps=1/255 --corrupt fog --threads 1 \
    --require 'accuracy>=0' --report "$work/classifier.html" >/dev/null 2>&1 || complain "no page of a classifier"
"$tips" init --task segment --arch unet --pool max --size 32 --classes 4 --channels 3 --out "$long/masks.safetensors" >/dev/null 2>&1
"$tips" audit "$long/masks.safetensors" --data shapes:classes=3,test=8 --limit 4 --shifts none --grid-images 0 --threads 1 \
    --report "$work/masks.html" >/dev/null 2>&1 || complain "no page of masks"
"$tips" init --task detect:shown=0.01 --arch retinanet --pool max --size 64 --width 4 --classes 3 --channels 3 --out "$long/boxes.safetensors" >/dev/null 2>&1
"$tips" audit "$long/boxes.safetensors" --data shapes:size=64,classes=3,objects=2,test=4 --limit 2 --shifts none --grid-images 0 --set-shifts 2 --threads 1 \
    --report "$work/boxes.html" >/dev/null 2>&1 || complain "no page of boxes"
"$tips" compare --pool max,tips-exact:tau=phase --data shapes:size=16,train=24,test=20,classes=4 --arch tiny --width 4 --epochs 2 --batch 12 --threads 1 \
    --out "$long/runs" >/dev/null 2>&1 && "$tips" report "$long/runs" --title "$name" -o "$work/runs.html" --figures none >/dev/null 2>&1 ||
    complain "no page of runs"
set -- classifier masks boxes runs
if built_with yaml; then
    printf 'title: %s\nlimit: 10\nbase: {data: "shapes:size=16,train=24,test=10,classes=2", arch: tiny, width: 4, epochs: 1, batch: 12, threads: 1}\ncells:\n  - {pool: [max, tips-exact], down: 1}\nanalysis:\n  - {kind: table, rows: pool}\n' "$name" >"$work/$name.yaml"
    "$tips" study "$work/$name.yaml" --out "$long/study" >/dev/null 2>&1
    "$tips" report "$long/study" -o "$work/study.html" >/dev/null 2>&1 && set -- "$@" study || complain "no page of a study"
fi
for page; do
    python3 "$source/tests/report/narrow_page.py" "$browser" 390 "$work/$page.html" >"$work/found"
    [ ! -s "$work/found" ] || complain "$(cat "$work/found")"
done

[ $failures -eq 0 ] || exit 1

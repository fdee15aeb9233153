#!/bin/sh
# tips predict of boxes by what it prints and writes.
. "$(dirname "$0")/../support/expect.sh"
cd "$work" || exit 1

picture() { # NAME WIDTH HEIGHT: a picture whose pixels are drawn from a counter
    { printf 'P6\n%d %d\n255\n' "$2" "$3"; awk -v n=$(($2 * $3 * 3)) 'BEGIN { for (i = 0; i < n; i++) printf "%c", 33 + (i * i / 7 + i) % 90 }'; } >"$1"
}
mkdir frames
for i in 1 2 10; do picture "frames/f$i.ppm" 40 30; done
picture 12.ppm 40 100

"$tips" init --arch retinanet --width 8 --size 32 --classes 3 --pool tips-exact --task detect:score=0.005,shown=0.01 --out boxes.safetensors >/dev/null || complain "tips init failed"
"$tips" init --arch tiny --width 8 --size 32 --pool max --out tiny.safetensors >/dev/null || complain "tips init failed"

expect 0 '12.ppm *100x40 *[012] *0\.[0-9]* *[0-9.]* *[0-9.]* *[0-9.]* *[0-9.]*$' predict --model boxes.safetensors 12.ppm
expect 0 '12.ppm *100x40 *nothing' predict --model boxes.safetensors 12.ppm --shown 1
expect 0 '"boxes": \[' predict --model boxes.safetensors 12.ppm --shown 1 --json
expect 0 'mean over 64 standard shifts; box jitter' predict --model boxes.safetensors 12.ppm --stability
expect 0 '"box_jitter": ' predict --model boxes.safetensors 12.ppm --stability --stability-shifts 2 --json
expect 0 '"drawing": null' predict --model boxes.safetensors 12.ppm --json
expect 0 'f1.ppm *f2.ppm *0, 0 *[1-9][0-9]* *0.000 px *0.00 % *0.00 %' predict --model boxes.safetensors --sequence frames
expect 0 'f2.ppm *f10.ppm *2, -1 ' predict --model boxes.safetensors --sequence frames --motion 2,-1
expect 0 'Flicker over 2 steps: edges of boxes move by' predict --model boxes.safetensors --sequence frames
expect 0 'No boxes to compare in 2 steps' predict --model boxes.safetensors --sequence frames --shown 1
expect 2 'there is no sequence' predict --model boxes.safetensors 12.ppm --motion 1,1
expect 2 '--logits is for models' predict --model boxes.safetensors 12.ppm --logits scores.npy
for flag in '--shown 0.5' '--detections r.json' '--annotations a.json'; do
    # shellcheck disable=SC2086 # two words
    expect 2 'is for models that answer with boxes' predict --model tiny.safetensors 12.ppm $flag
done
expect 0 '"image_id": 12,' predict --model boxes.safetensors 12.ppm --detections results.json --json
[ -s results.json ] || complain "results.json was not written"
expect 2 '12.ppm is 12.ppm itself' predict --model boxes.safetensors 12.ppm --detections 12.ppm

cat >truth.json <<'END'
{"images": [{"id": 12, "file_name": "12.ppm", "height": 100, "width": 40}],
 "annotations": [{"id": 1, "image_id": 12, "category_id": 1, "bbox": [1, 1, 20, 20], "area": 400, "iscrowd": 0}],
 "categories": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "name": "c"}]}
END
expect 0 '12.ppm' predict --model boxes.safetensors 12.ppm --detections results.json --annotations truth.json
expect 0 '"ap": ' eval --detections results.json --data truth.json --json

if built_with png; then
    expect 0 'Drawings: out/boxes/12.png and 3 more' predict --model boxes.safetensors 12.ppm --sequence frames --out out
    for file in boxes/12.png boxes/f1.png boxes/f10.png flicker.svg; do [ -s "out/$file" ] || complain "out/$file was not written"; done
    expect 2 'is where files are written' predict --model boxes.safetensors --sequence out/boxes --out out
fi

exit "$failures"

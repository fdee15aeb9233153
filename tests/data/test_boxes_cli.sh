#!/bin/sh
# tips on sets with boxes: what info shows of them, what is left out, what other tasks say of them, and real samples.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

# Ten pictures of 48x64 pixels with two boxes each but the last, which has none.
mkdir -p "$work/set/images" "$work/set/labels"
for i in 0 1 2 3 4 5 6 7 8 9; do
    { printf 'P5 64 48 255\n' && head -c 3072 /dev/zero; } >"$work/set/images/$i.pgm"
    printf '0 0.5 0.5 0.25 0.5\n1 0.9 0.5 0.75 0.75\n' >"$work/set/labels/$i.txt"
done
: >"$work/set/labels/9.txt"
printf 'cat\ndog\n' >"$work/set/classes.txt"
expect 0 'yolo, boxes of 2 classes, pictures of 48x64, grey$' data info "$work/set"
expect 0 '^train 9, val 1 (held out of train with seed 1), test 0$' data info "$work/set"
expect 0 '^train 3, val 1' data info "$work/set" --train-limit 3
expect 0 ' boxes on 9 training pictures, .* 0 pictures have none\| 1 pictures have none' data info "$work/set"
expect 0 '^all  ' data info "$work/set"
expect 0 'boxes of 1 classes' data info "$work/set" --classes-limit 1
expect 0 '"per_picture": ' data info "$work/set" --json
expect 0 '"bad": 0,' data info "$work/set" --json
echo '7 0.5 0.5 0.25 0.5' >>"$work/set/labels/3.txt"
expect 1 "labels/3.txt: line 3: '7 0.5 0.5 0.25 0.5': there is no such class" data info "$work/set"
expect 0 '^boxes left out as bad: 1$' data info "$work/set" --on-bad-image skip
expect 0 '"bad": 1,' data info "$work/set" --on-bad-image skip --json

# Shapes has classes too: its boxes are shown if asked for. What lacks boxes, or classes, says so.
expect 0 'shapes, 3 classes, boxes of 3 classes, ' data info shapes:train=60,test=0,classes=3,objects=3 --boxes
expect 0 '^square  ' data info shapes:train=60,test=0,classes=3,objects=3 --boxes
expect 1 'comes with boxes; wanted are masks; formats with masks are voc, ' data info "$work/set" --masks --on-bad-image skip
expect 1 'comes with boxes; wanted are classes; from boxes a network learns by --task detect' \
    train --data "$work/set" --arch resnet18 --width 8 --size 32 --epochs 1 --on-bad-image skip --out "$work/run"
mkdir -p "$work/photos/a" "$work/photos/b"
for i in 1 2 3 4; do
    cp "$source/tests/images/colour.ppm" "$work/photos/a/$i.ppm"
    cp "$source/tests/images/grey.pgm" "$work/photos/b/$i.pgm"
done
expect 1 'wanted are boxes; formats with boxes are coco, voc-boxes, yolo, shapes' data info "$work/photos" --boxes

if built_with png; then
    for data in "$work/set --on-bad-image skip" 'shapes:train=60,test=0,classes=3,objects=3,size=64 --boxes'; do
        # shellcheck disable=SC2086 # the words are several
        "$tips" data info $data --sheet "$work/sheet.png" >"$work/out" || complain "there is no sheet of $data"
        [ "$(head -c 4 "$work/sheet.png" | tail -c 3)" = PNG ] || complain "the sheet of $data is no PNG"
    done
fi

# How pictures are fitted is said once.
expect 2 'resize 40 and --fit 32x48: one says how large pictures become' \
    train --data "$work/photos" --arch resnet18 --width 8 --size 32 --resize 40 --fit 32x48 --epochs 1 --out "$work/run"

samples=$source/../shared/data
if [ -d "$samples/coco-sample" ] && built_with jpeg; then
    expect 0 'coco, boxes of 80 classes, ' data info "$samples/coco-sample" --val-split 0.5
    # Of 11 crowds, one is on the picture that is held out.
    expect 0 '"crowds": 10,' data info "$samples/coco-sample" --val-split 0.0126 --json
    expect 0 '^train 79, val 1 ' data info "$samples/coco-sample" --val-split 0.0126
else
    echo "There is no ../shared/data/coco-sample: it is left out."
fi
if [ -d "$samples/bccd-sample" ] && built_with jpeg && built_with expat; then
    expect 0 'voc-boxes, boxes of 3 classes, pictures of 480x640' data info "$samples/bccd-sample"
    expect 0 '^train 81, val 9 .*, test 30$' data info "$samples/bccd-sample"
    expect 0 '^Platelets ' data info "$samples/bccd-sample"
else
    echo "There is no ../shared/data/bccd-sample, or no expat: it is left out."
fi
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# tips on sets with masks: what info shows of them, what its sheet shows, and that classification refuses them.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

# A picture of 4x2 pixels, and a mask of as many: half background, a quarter of class 1, an eighth of class 2, one ignored.
mkdir -p "$work/set/images" "$work/set/masks"
for i in 1 2 3 4 5 6 7 8 9 10; do
    printf 'P6 4 2 255\nabcdefghijklmnopqrstuvwx' >"$work/set/images/$i.ppm"
    printf 'P5 4 2 255\n\000\000\000\000\001\001\002\377' >"$work/set/masks/$i.pgm"
done
printf 'background\ncat\ndog #010203\n' >"$work/set/classes.txt"
expect 0 'masks, masks of 3 classes, pictures of 2x4, colour$' data info "$work/set"
expect 0 '^train 9, val 1 (held out of train with seed 1), test 0$' data info "$work/set"
expect 0 '^    0  background  #000000  50.00%         9$' data info "$work/set"
expect 0 '^    2  dog         #010203  12.50%         9$' data info "$work/set"
expect 0 '^  255  ignored     #e0e0c0  12.50%         9$' data info "$work/set"
expect 0 '"share": 0.25,' data info "$work/set" --json
expect 0 '"colour": "#010203"' data info "$work/set" --json
expect 0 '^train 3, val 5' data info "$work/set" --val-split 0.5 --train-limit 3
expect 0 'masks of 2 classes' data info "$work/set" --classes-limit 1
for threads in 1 2; do "$tips" data info "$work/set" --json --threads $threads >"$work/threads-$threads"; done
cmp "$work/threads-1" "$work/threads-2" || complain "statistics of masks depend on the number of threads"

# Shapes has classes too: its masks are shown if asked for.
expect 0 '^shapes:train=60,test=0,classes=3: shapes, 3 classes, pictures of 32x32' data info shapes:train=60,test=0,classes=3
expect 0 'shapes, 3 classes, masks of 4 classes, ' data info shapes:train=60,test=0,classes=3 --masks
expect 0 '^    3  square' data info shapes:train=60,test=0,classes=3 --masks
mkdir -p "$work/photos/a" "$work/photos/b"
for i in 1 2 3 4; do
    cp "$source/tests/images/colour.ppm" "$work/photos/a/$i.ppm"
    cp "$source/tests/images/grey.pgm" "$work/photos/b/$i.pgm"
done
expect 1 'comes with classes; wanted are masks; formats with masks are voc, cityscapes' data info "$work/photos" --masks
expect 1 'a set of the format masks, which comes with masks; wanted are classes; from masks' \
    train --data "$work/set" --arch resnet18 --width 8 --size 32 --epochs 1 --out "$work/run"
[ -e "$work/run/model.safetensors" ] && complain "a classifier was trained on masks"

if built_with png; then
    for data in "$work/set" 'shapes:train=60,test=0,classes=3 --masks'; do
        # shellcheck disable=SC2086
        expect 0 'masks of' data info $data --sheet "$work/sheet.png"
        [ "$(head -c 4 "$work/sheet.png" 2>/dev/null | tail -c 3)" = PNG ] || complain "no contact sheet was written"
    done
    "$tips" data info shapes:train=60,test=0,classes=3 --sheet "$work/plain.png" >/dev/null
    cmp -s "$work/plain.png" "$work/sheet.png" && complain "the contact sheet does not show masks"
    expect 2 'which is read; write to another file' data info "$work/set" --sheet "$work/set/images/1.ppm"
fi

# Bad masks are told by info, in the validation data too, or counted.
printf 'P5 4 2 255\n\000\000\000\000\001\001\007\377' >"$work/set/masks/7.pgm"
expect 1 'masks/7.pgm: the number 7 at row 1, column 2 is none of the 3 classes' data info "$work/set"
expect 1 'masks/7.pgm: the number 7 at row 1' data info "$work/set" --train-limit 1 --val-split 0.9
expect 0 '^skipped as bad: 1$' data info "$work/set" --on-bad-image skip
printf 'P5 2 4 255\n\000\000\000\000\001\001\001\377' >"$work/set/masks/7.pgm"
expect 1 'images/7.ppm: the picture has 2x4 pixels, its annotation is for 4x2: .*masks/7.pgm' data info "$work/set"

# Options before the path.
mkdir -p "$work/voc/JPEGImages" "$work/voc/SegmentationClass" "$work/voc/ImageSets/Segmentation"
for i in 1 2 3 4; do
    cp "$work/set/images/1.ppm" "$work/voc/JPEGImages/$i.jpg"
    cp "$work/set/masks/1.pgm" "$work/voc/SegmentationClass/$i.png"
done
printf '1\r\n2\r\n3\r\n' >"$work/voc/ImageSets/Segmentation/train.txt"
printf '4\r\n' >"$work/voc/ImageSets/Segmentation/val.txt"
printf '1\r\n2\r\n3\r\n4\r\n' >"$work/voc/ImageSets/Segmentation/trainval.txt"
expect 0 'voc, masks of 21 classes' data info "$work/voc"
expect 0 '^train 3, val 1 (its own), test 0$' data info "$work/voc"
expect 0 '^train 3, val 1 (held out of train with seed 1), test 0$' data info "voc:train=trainval,$work/voc"
expect 1 'trainaug.txt and the folder' data info "voc:train=trainaug,$work/voc"
expect 2 'which is read; write to another file' data info "voc:train=trainval,$work/voc" --sheet "$work/voc/SegmentationClass/1.png"
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

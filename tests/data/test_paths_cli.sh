#!/bin/sh
# Names in files of a dataset lead to pictures below its folder, and nowhere else.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
picture() { { printf 'P5 64 48 255\n' && head -c 3072 /dev/zero; } >"$1"; }
mkdir -p "$work/other"
picture "$work/other/x.pgm"

# COCO: of two pictures one is elsewhere.
mkdir -p "$work/coco/annotations" "$work/coco/train" "$work/coco/train/sub"
picture "$work/coco/train/a.pgm"
picture "$work/coco/train/sub/..b.pgm"
coco() {
    printf '{"categories": [{"id": 1, "name": "cat"}], "images": [{"id": 1, "file_name": "a.pgm", "width": 64, "height": 48},
        {"id": 3, "file_name": "sub/..b.pgm", "width": 64, "height": 48}, {"id": 2, "file_name": "%s", "width": 64, "height": 48}],
        "annotations": [{"id": 1, "image_id": 2, "category_id": 1, "bbox": [1, 1, 9, 9], "area": 81, "iscrowd": 0}]}' "$1" >"$work/coco/annotations/instances_train.json"
}
for name in ../../other/x.pgm "$work/other/x.pgm" sub/../../../other/x.pgm; do
    coco "$name"
    expect 1 "instances_train.json: the file_name '$name' of picture 2 leads out" data info "$work/coco"
    expect 0 '^train 1, val 1' data info "$work/coco" --on-bad-image skip
done
# YOLO: a list may name pictures of the set by their whole path, and no others.
mkdir -p "$work/yolo/images" "$work/yolo/labels"
for i in 0 1 2 3; do
    picture "$work/yolo/images/$i.pgm"
    echo '0 0.5 0.5 0.25 0.5' >"$work/yolo/labels/$i.txt"
    echo "$work/yolo/images/$i.pgm" >>"$work/yolo/train.txt"
done
expect 0 '^train 3, val 1' data info "$work/yolo"
for name in ../other/x.pgm "$work/other/x.pgm" "images/../../other/x.pgm"; do
    { printf './images/0.pgm\n./images/1.pgm\n' && echo "$name"; } >"$work/yolo/train.txt"
    expect 1 "train.txt: '$name' leads out of the folder of the set" data info "$work/yolo"
    expect 0 '^train 1, val 1' data info "$work/yolo" --on-bad-image skip
done

# Food-101: a name becomes images/NAME.jpg.
mkdir -p "$work/food/meta" "$work/food/images/soup"
for i in 0 1 2; do picture "$work/food/images/soup/$i.jpg"; done
picture "$work/other/x.jpg"
echo soup >"$work/food/meta/classes.txt"
echo soup >"$work/food/meta/labels.txt"
printf 'soup/0\nsoup/../../../other/x\n' >"$work/food/meta/train.txt"
echo soup/1 >"$work/food/meta/test.txt"
expect 1 "'soup/../../../other/x' is not CLASS/NUMBER" data info "food101:$work/food"
[ "$failures" -eq 0 ]

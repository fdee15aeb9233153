#!/bin/sh
# Boxes in folders as people name them, and what is said of a folder that is no dataset: what it holds and which format is nearest.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

# picture FILE and xml FILE: of 16x12 pixels, with one object of the class $2.
picture() { { printf 'P5 16 12 255\n' && head -c 192 /dev/zero; } >"$1"; }
xml() {
    printf '<annotation><size><width>16</width><height>12</height><depth>1</depth></size><object><name>%s</name>' "$2" >"$1"
    printf '<bndbox><xmin>2</xmin><ymin>2</ymin><xmax>9</xmax><ymax>8</ymax></bndbox></object></annotation>' >>"$1"
}

# fill PICTURES MARKS NUMBER...: pictures with an XML each, of the classes cat and dog in turn; "" for MARKS: without.
fill() {
    pictures=$1 marks=$2
    shift 2
    mkdir -p "$pictures" ${marks:+"$marks"}
    for i in "$@"; do
        picture "$pictures/$i.pgm"
        [ -z "$marks" ] || if [ $((i % 2)) = 0 ]; then xml "$marks/$i.xml" cat; else xml "$marks/$i.xml" dog; fi
    done
}

if built_with expat; then
    # The folders' endings are those of name_picture, to which .pgm does not belong: pictures are called .bmp, which is their business.
    for names in 'images annots' 'images Annotations' 'JPEGImages annotations' 'imgs annotation' 'images labels' 'Images xml' '. .'; do
        set -- $names
        rm -rf "$work/set" && fill "$work/set/$1" "$work/set/$2" 0 1 2 3 4 5
        for file in "$work/set/$1"/*.pgm; do mv "$file" "${file%.pgm}.bmp"; done
        expect 0 'voc-boxes, boxes of 2 classes, pictures of 12x16' data info "$work/set"
        expect 0 '^train 5, val 1' data info "$work/set"
    done
    for names in 'images annots' '. .'; do
        set -- $names
        rm -rf "$work/set"
        fill "$work/set/train/$1" "$work/set/train/$2" 0 1 2 3
        fill "$work/set/valid/$1" "$work/set/valid/$2" 4 5
        fill "$work/set/test/$1" "$work/set/test/$2" 6
        find "$work/set" -name '*.pgm' | while read -r file; do mv "$file" "${file%.pgm}.bmp"; done
        expect 0 'voc-boxes, boxes of 2 classes' data info "$work/set"
        expect 0 '^train 4, val 2 (its own), test 1$' data info "$work/set"
    done
fi

# What is not recognised.
why='not recognised as a dataset of any format (.*):'
fill "$work/odd/images" "$work/odd/notes" 0 1 2
expect 1 "odd: $why it holds images/ (3 pictures), notes/ (3 files, as .xml); nearest is voc-boxes, .* annots/" data info "$work/odd"
fill "$work/parts/train/images" "$work/parts/train/notes" 0 1 2
expect 1 "parts: $why in train/ it holds images/ (3 pictures), notes/ (3 files, as .xml); nearest is voc-boxes" data info "$work/parts"
fill "$work/text/pics" '' 0 1 2
mkdir "$work/text/boxes"
for i in 0 1; do echo '0 .5 .5 .1 .1' >"$work/text/boxes/$i.txt"; done
expect 1 "text: $why it holds boxes/ (2 files, as .txt), pics/ (3 pictures); nearest is yolo, .* labels/, with NAME.txt" data info "$work/text"
fill "$work/json/images" '' 0 1 2
echo '{}' >"$work/json/via.json"
expect 1 "json: $why it holds images/ (3 pictures), via.json; nearest is coco, .*coco:FILE" data info "$work/json"
fill "$work/table/images" '' 0 1 2
echo 'a,b' >"$work/table/labels.csv"
expect 1 "table: $why .*labels.csv; nearest is folders, .* tables are not read" data info "$work/table"
fill "$work/alone/images" '' 0 1 2
expect 1 "alone: $why it holds images/ (3 pictures); nearest is masks" data info "$work/alone"

# Class folders stay what they are, also where one of them is called images.
fill "$work/classes/cats" '' 0 1 2 3
fill "$work/classes/images" '' 0 1 2 3
expect 0 'folders, 2 classes' data info "$work/classes"

[ $failures -eq 0 ] || exit 1

#!/bin/sh
# Pictures of every kind in class folders, pictures that cannot be read named as what they are, and folders that are no
# dataset told why.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

pairs=$source/tests/golden/pictures
kinds='rgb24.bmp palette.gif'
built_with webp && kinds="$kinds lossless.webp"
built_with tiff && kinds="$kinds rgb.tif"
mkdir -p "$work/set/a" "$work/set/b"
for kind in $kinds; do cp "$pairs/$kind" "$work/set/a" && cp "$pairs/$kind" "$work/set/b/$(echo "$kind" | tr '[:lower:]' '[:upper:]')"; done
count=$(ls "$work/set/a" | wc -l)
expect 0 'folders, 2 classes, pictures of 13x21, colour' data info "$work/set"
expect 0 "^    0  a " data info "$work/set"
[ "$("$tips" data info "$work/set" --json | grep -c ignored)" = 1 ] || complain "data info --json lacks the ignored files"
expect 0 '"ignored": 0' data info "$work/set" --json
"$tips" init --arch tiny --width 8 --size 16 --classes 2 --out "$work/model.safetensors" >/dev/null
for kind in $kinds; do expect 0 "$kind" predict --model "$work/model.safetensors" "$pairs/$kind"; done
[ "$count" -ge 2 ] || complain "no pictures"

for pair in 'webp WebP lossless.webp libwebp' 'tiff TIFF rgb.tif libtiff'; do
    # shellcheck disable=SC2086 # the parts are words
    set -- $pair
    built_with "$1" || expect 1 "$3: is a $2 picture, and this build reads no $2 (it lacks $4)" predict \
        --model "$work/model.safetensors" "$pairs/$3"
done

# named FILE WHAT: the file is refused as what it is.
named() { expect 1 "$1: is $2, not an image in PNG, JPEG, WebP, TIFF, BMP, GIF, " predict --model "$work/model.safetensors" "$work/$1"; }
printf '\0\0\0\030ftypheic\0\0\0\0mif1heic' >"$work/phone.jpg"
named phone.jpg 'a HEIC picture'
printf '\0\0\0\034ftypavif\0\0\0\0avifmif1' >"$work/new.avif"
named new.avif 'an AVIF picture'
printf '8BPS\0\1' >"$work/layers.psd"
named layers.psd 'a Photoshop file'
printf '<!DOCTYPE html><html>' >"$work/missing.png"
named missing.png 'a web page'
printf 'version https://git-lfs.github.com/spec/v1\n' >"$work/pointer.png"
named pointer.png 'a pointer to a file of Git LFS, which was not fetched'
printf '\377\012\1\2' >"$work/picture.jxl"
named picture.jxl 'a JPEG XL picture'
printf 'no picture at all' >"$work/text.png"
expect 1 'text.png: not an image in PNG, JPEG, WebP, TIFF, BMP, GIF, PGM (P5) or PPM (P6) format' predict \
    --model "$work/model.safetensors" "$work/text.png"

# The limit that a picture exceeds is the one that is named.
printf 'P5 30000 30000 255\n' >"$work/wide.pgm"
expect 1 'an image of 30000x30000 pixels; up to 100000000 are read' predict --model "$work/model.safetensors" "$work/wide.pgm"
printf 'P5 40000 1 255\n' >"$work/long.pgm"
expect 1 'an image of 40000x1 pixels; sides of 1..32768 are read' predict --model "$work/model.safetensors" "$work/long.pgm"

# Folders that are no dataset.
why='not recognised as a dataset of any format (.*):'
mkdir "$work/empty" "$work/flat" "$work/above" "$work/phones" "$work/phones/a" "$work/texts" "$work/hollow" "$work/hollow/a"
cp "$pairs/rgb24.bmp" "$work/flat/one.bmp"
cp "$pairs/rgb24.bmp" "$work/flat/two.bmp"
mv "$work/set" "$work/above/set"
cp "$work/phone.jpg" "$work/phones/a/phone.heic"
echo text >"$work/texts/notes.txt"
expect 1 "empty: $why the folder is empty" data info "$work/empty"
expect 1 "flat: $why it holds 2 pictures, but no folder for each class: .*CLASS/one.bmp" data info "$work/flat"
expect 1 "above: $why did you mean .*above/set, which holds class folders" data info "$work/above"
expect 1 "phones: $why its folders hold no pictures by their names (a/phone.heic, for instance)" data info "$work/phones"
expect 1 "texts: $why it holds neither pictures nor class folders, but notes.txt" data info "$work/texts"
expect 1 "hollow: $why there are no pictures in its folders (a, for instance)" data info "$work/hollow"
expect 1 "one.bmp: $why it is one picture; " data info "$work/flat/one.bmp"
expect 1 "notes.txt: $why a dataset is a folder" data info "$work/texts/notes.txt"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# What is held out for validation: a share of every class, by seed, and read by 'tips data info' as by training.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

# make_class NAME COUNT: pictures of one class.
make_class() {
    mkdir -p "$work/set/$1"
    i=0
    while [ "$i" -lt "$2" ]; do
        printf 'P6\n2 2\n255\n123123123123' >"$work/set/$1/$i.ppm"
        i=$((i + 1))
    done
}

make_class large 90
make_class middle 24
make_class one 1
for seed in 1 2 3 4 5; do
    expect 0 'val 12 (held out' data info "$work/set" --seed "$seed"
    grep -q 'large  *81  *9 ' "$work/output" || complain "seed $seed: the large class does not give 9"
    grep -q 'middle  *21  *3 ' "$work/output" || complain "seed $seed: the middle class does not give 3"
    grep -q 'one  *1  *0 ' "$work/output" || complain "seed $seed: the class of one picture lost it"
done

# Broken pictures, wherever they went.
for file in "$work"/set/middle/*.ppm; do printf 'P6\n2 2\n255\n123' >"$file"; done
expect 0 'skipped as bad: 24' data info "$work/set" --on-bad-image skip
expect 1 'cut short' data info "$work/set"
rm -r "$work/set/middle"
make_class middle 24
for file in "$work"/set/large/*.ppm; do # some of them are held out
    cp "$file" "$work/whole.ppm"
    printf 'P6\n2 2\n255\n123' >"$file"
    "$tips" data info "$work/set" >/dev/null 2>&1 && complain "$file: broken, and not read"
    cp "$work/whole.ppm" "$file"
done

mkdir "$work/singles" "$work/singles/a" "$work/singles/b"
cp "$work/set/one/0.ppm" "$work/singles/a"
cp "$work/set/one/0.ppm" "$work/singles/b"
expect 0 'train 2, val 0' data info "$work/singles"
expect 1 'singles has no validation data, and no class with a second picture to hold out' train --data "$work/singles" \
    --arch tiny --out "$work/run"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

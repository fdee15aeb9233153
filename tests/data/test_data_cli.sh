#!/bin/sh
# tips data: info on generated pictures and on real samples if they are there; get from a server of its own.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
samples=$source/../shared/data
server=
stop_server() {
    [ -z "$server" ] || { kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; }
    server=
}
trap 'stop_server; rm -rf "$work"' EXIT

expect_data() {
    code=$1
    pattern=$2
    shift 2
    expect "$code" "$pattern" data "$@"
}

expect_data 2 'say what to do'
expect_data 2 "there is no 'data show'" show
expect_data 2 'get what' get
expect_data 2 "did you mean 'cifar10'" get cifar1
expect_data 1 'no such file or folder' info /no/such/folder
expect_data 0 '^shapes:size=24,classes=4,train=100,test=20: shapes, 4 classes, pictures of 24x24, colour$' \
    info shapes:size=24,classes=4,train=100,test=20
expect_data 0 '^train 90, val 10 (held out of train with seed 1), test 20$' info shapes:size=24,classes=4,train=100,test=20
expect_data 0 '(the test set), test 20$' info shapes:size=24,train=100,test=20 --val-set test
expect_data 0 '"train": 33,' info shapes:train=100,test=20 --train-limit 33 --json
expect_data 0 '"name": "ring"' info shapes:train=100,test=20 --json
if built_with png; then
    expect_data 0 'pictures of 24x24' info shapes:size=24,classes=4,train=100,test=20 --sheet "$work/sheet.png"
    [ "$(head -c 4 "$work/sheet.png" 2>/dev/null | tail -c 3)" = PNG ] || complain "no contact sheet was written"
    # Names of the classes stand beside their rows: 12 pictures of 96 pixels and their gaps are 1204 wide without them.
    if built_with cairo; then
        [ "$(od -An -tu1 -j16 -N4 "$work/sheet.png" | awk '{ print (($3 * 256 + $4) > 1204) }')" -eq 1 ] || complain "the contact sheet does not name its classes"
    fi
else
    expect_data 1 'writes no PNG' info shapes:train=100 --sheet "$work/sheet.png"
fi
expect_data 1 'sheet.png' info shapes:train=100 --sheet /no/such/folder/sheet.png
for threads in 1 2; do "$tips" data info shapes:train=200 --json --threads $threads >"$work/threads-$threads"; done
cmp "$work/threads-1" "$work/threads-2" || complain "statistics depend on the number of threads"

mkdir -p "$work/photos/a" "$work/photos/b"
for i in 1 2 3 4; do
    cp "$source/tests/images/colour.ppm" "$work/photos/a/$i.ppm"
    cp "$source/tests/images/grey.pgm" "$work/photos/b/$i.pgm"
done
expect_data 0 'folders, 2 classes, pictures of 6x8, colour' info "$work/photos"
printf 'P6 8 6 255\nshort' >"$work/photos/b/5.ppm"
expect_data 1 'b/5.ppm: cut short' info "$work/photos"
expect_data 0 '^skipped as bad: 1$' info "$work/photos" --on-bad-image skip

if ! built_with jpeg z; then
    echo "skipped: this build does not read the samples"
elif [ -d "$samples/imagenette-sample" ]; then
    expect_data 0 '^train 150, val 80 (its own), test 0$' info "$samples/imagenette-sample" --limit 20
    expect_data 0 'tiny-imagenet, 8 classes, pictures of 64x64, colour' info "$samples/tiny-imagenet-sample"
    expect_data 0 '^    1  Egyptian cat ' info "$samples/tiny-imagenet-sample"
    expect_data 1 'jpg/image_[0-9]*.jpg: listed, but not there' info "$samples/flowers102-sample"
    expect_data 0 'oxford102, 102 classes' info "$samples/flowers102-sample" --on-bad-image skip
else
    echo "skipped: there are no samples in ../shared/data"
fi
if [ -d /usr/share/datasets/fashion-mnist ] && ! built_with z; then
    expect_data 1 'reads no .gz' info --limit 10
elif [ -d /usr/share/datasets/fashion-mnist ]; then
    expect_data 0 'idx, 10 classes, pictures of 28x28, grey' info --limit 1000
    expect_data 0 'Ankle boot' info --limit 10
fi

finish() {
    [ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }
    exit 0
}
command -v python3 >/dev/null || { echo "skipped: no python3 to serve files"; finish; }
if ! built_with curl; then
    expect_data 1 'lacks libcurl' get http://127.0.0.1:9/none --out "$work"
    finish
fi

# start_server MODE: serves $work/www; sets $url.
mkdir -p "$work/www"
start_server() {
    stop_server
    : >"$work/log"
    (cd "$work/www" && exec python3 -u "$source/tests/support/range_server.py" "$1") >"$work/log" 2>&1 &
    server=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        port=$(head -n 1 "$work/log")
        [ -n "$port" ] && break
        sleep 0.2
    done
    [ -n "$port" ] || { complain "the server did not start"; finish; }
    url=http://127.0.0.1:$port
}
same() { cmp "$work/www/file.bin" "$work/out/file.bin" || complain "file.bin is not what was served"; }

head -c 300000 /dev/urandom >"$work/www/file.bin"
hash_of='import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())'
sum=$(python3 -c "$hash_of" <"$work/www/file.bin")
wrong=$(echo "$sum" | tr 0123456789abcdef 123456789abcdef0)

start_server ranges
expect_data 0 '^downloaded 1, resumed 0, already there 0$' get "$url/file.bin" --out "$work/out" --sha256 "$sum"
same
expect_data 0 '^downloaded 0, resumed 0, already there 1$' get "$url/file.bin" --out "$work/out" --sha256 "$sum"
expect_data 1 'wrong checksum' get "$url/file.bin" --out "$work/out" --sha256 "$wrong"
expect_data 1 "wrong checksum: SHA-256 is $sum instead of $wrong" get "$url/file.bin" --out "$work/bad" --sha256 "$wrong"
[ -z "$(ls "$work/bad")" ] || complain "a file with a wrong checksum was left"
expect_data 1 '404' get "$url/none.bin" --out "$work/out"
expect_data 2 'hexadecimal' get "$url/file.bin" --out "$work/out" --sha256 123
expect_data 2 'name of a file' get "$url/" --out "$work/out"
expect_data 1 'file:' get "file://$work/www/file.bin" --out "$work/elsewhere"

# A part is continued; one that belongs to another file is not trusted; one that is whole is only checked.
rm "$work/out/file.bin"
head -c 100000 "$work/www/file.bin" >"$work/out/file.bin.part"
expect_data 0 'resumed 1' get "$url/file.bin" --out "$work/out" --sha256 "$sum"
same
grep -q 'bytes=100000-' "$work/log" || complain "the download did not go on where it had ended"
rm "$work/out/file.bin"
head -c 100000 /dev/zero >"$work/out/file.bin.part"
expect_data 0 'downloaded 1' get "$url/file.bin" --out "$work/out" --sha256 "$sum"
same
rm "$work/out/file.bin"
cp "$work/www/file.bin" "$work/out/file.bin.part"
expect_data 0 'resumed 1' get "$url/file.bin" --out "$work/out" --sha256 "$sum"
same

# A connection that breaks keeps its part, and the next attempt takes it up.
rm "$work/out/file.bin"
start_server drop
expect_data 1 'file.bin' get "$url/file.bin" --out "$work/out" --sha256 "$sum"
[ -s "$work/out/file.bin.part" ] || complain "the part of a broken download is gone"
expect_data 0 'resumed 1' get "$url/file.bin" --out "$work/out" --sha256 "$sum"
same

# A server that knows no parts sends the file from its start.
rm "$work/out/file.bin"
head -c 1000 "$work/www/file.bin" >"$work/out/file.bin.part"
start_server plain
expect_data 0 'downloaded 1' get "$url/file.bin" --out "$work/out" --sha256 "$sum"
same

# A known dataset from another address: files that are not its own are refused.
echo nothing >"$work/www/train-images-idx3-ubyte.gz"
expect_data 1 'train-images-idx3-ubyte.gz: .* bytes instead of 9912422' get mnist --from "$url" --out "$work/sets"
if [ -f "$samples/flowers102-sample/setid.mat" ]; then
    cp "$samples"/flowers102-sample/*.mat "$work/www/"
    expect_data 1 '102flowers.tgz' get oxford102 --from "$url" --out "$work/sets"
    cmp "$samples/flowers102-sample/setid.mat" "$work/sets/oxford102/setid.mat" || complain "setid.mat is missing"
fi
finish

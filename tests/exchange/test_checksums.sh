#!/bin/sh
# A byte of a model or a checkpoint that is damaged, any byte, is refused with the file's name; files without a checksum load.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
command -v python3 >/dev/null || exec sh "$source/tests/support/lack.sh" "there is no python3"
options="--data shapes:size=16,train=60,test=20,classes=4 --arch tiny --width 4 --batch 8 --threads 1"
# shellcheck disable=SC2086 # the options are words
"$tips" train $options --epochs 1 --out "$work/run" >/dev/null || complain "training failed"
model=$work/run/best.safetensors checkpoint=$work/run/checkpoint.safetensors
expect 0 'checksum  *verified' info "$model"
expect 0 '"checksum": "verified"' info "$model" --json
python3 - "$tips" "$work" "${STEP:-1499}" <<'END' || complain "damage went unseen"
import json, os, subprocess, struct, sys
tips, work, step = sys.argv[1], sys.argv[2], int(sys.argv[3])
failures = 0


def tell(*arguments):
    run = subprocess.run([tips, *arguments], capture_output=True, text=True, errors="replace")
    return run.returncode, run.stdout + run.stderr


def refused(path, what, *arguments):
    global failures
    code, said = tell(*arguments)
    if code == 0 or code > 100 or path not in said:
        failures += 1
        print(f"{what}: exit code {code}: {said[:300]}")


def split(path):
    data = open(path, "rb").read()
    length, = struct.unpack("<Q", data[:8])
    return json.loads(data[8:8 + length]), data[8 + length:]


def write(path, header, tensors):
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + tensors)


for name in ("best", "checkpoint"):
    path = f"{work}/run/{name}.safetensors"
    whole = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", whole[:8])[0]
    # every place of the lengths and the checksum, every k-th of the header and the tensors, and the last byte
    sum_at = whole.index(b'"tips.xxh64"')
    summed_at = whole.index(b'"tips.summed"')
    places = {*range(8), *range(sum_at, sum_at + 31, 5), *range(summed_at, summed_at + 21, 5), *range(8, start, step // 5), *range(start, len(whole), step), len(whole) - 1}
    arguments = ("info", path) if name == "best" else ("train", "--resume", "--out", f"{work}/run")
    for n, at in enumerate(sorted(places)):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << n % 8
        open(path, "wb").write(damaged)
        refused(path, f"{name}: bit {n % 8} of byte {at}", *arguments)
    open(path, "wb").write(whole[:-8])
    refused(path, f"{name}: cut short", *arguments)
    open(path, "wb").write(whole)
    print(f"{name}: {len(places)} of {len(whole)} bytes")

# Without the two keys it is a file without a checksum; with one of them it is damaged.
path = f"{work}/other.safetensors"
header, tensors = split(f"{work}/run/best.safetensors")
for keys, loads in ((("tips.xxh64", "tips.summed"), True), (("tips.xxh64",), False), (("tips.summed",), False)):
    less = dict(header, __metadata__={key: value for key, value in header["__metadata__"].items() if key not in keys})
    write(path, less, tensors)
    code, said = tell("info", path)
    if (code == 0) != loads or ("none; damage would not be seen" in said) != loads:
        failures += 1
        print(f"without {keys}: exit code {code}: {said[:300]}")

# The sum is what others compute.
try:
    import xxhash
    data = open(f"{work}/run/best.safetensors", "rb").read()
    digits = header["__metadata__"]["tips.xxh64"]
    if xxhash.xxh64(data.replace(digits.encode(), b"0" * 16, 1)).hexdigest() != digits:
        failures += 1
        print("the checksum is not XXH64")
except ImportError:
    pass
sys.exit(failures > 0)
END
[ "$failures" -eq 0 ]
